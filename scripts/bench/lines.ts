import { type Report } from '../proof/report';
import { median, spread } from './measure';

/** A line of a part's table. */
export interface Line {
  readonly cells: readonly string[];
  readonly isReached: boolean;
}

/** What is aimed at, and whether it is there. */
export type Reach = readonly [text: string, isReached: boolean];

export const count = (rows: number): string => rows.toLocaleString('en-US');
export const twoDigits = (value: number): string => value.toFixed(2);

interface Measured {
  readonly what: string;
  /** One of each round. */
  readonly values: readonly number[];
  readonly shown: (value: number) => string;
  /** Of each round, to what it is measured against. */
  readonly against?: readonly number[];
  readonly reach?: Reach;
}

/** Without `reach` a line informs. */
export const line = ({ what, values, shown, against, reach }: Measured): Line => ({
  cells: [
    what,
    shown(median(values)),
    spread(values, shown),
    against ? twoDigits(median(against)) : '',
    against ? spread(against, twoDigits) : '',
    reach ? reach[0] : '',
  ],
  isReached: reach ? reach[1] : true,
});

export const fact = (what: string, value: string, reach: string, isReached: boolean): Line => ({
  cells: [what, value, '', '', '', reach],
  isReached,
});

export const reportOf = (
  lines: readonly Line[],
  { notes, versions }: Required<Pick<Report, 'notes' | 'versions'>>,
): Report => ({
  document: 'performance',
  columns: ['what', 'median', 'of the rounds', 'ratio to its floor, median', 'of the rounds', 'reach'],
  rows: lines.map(({ cells }) => cells),
  notes,
  versions,
  passed: lines.every(({ isReached }) => isReached),
});
