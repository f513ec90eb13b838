import { readFileSync, writeFileSync } from 'node:fs';
import { type Report, say } from '../command/report';
import { quantile } from '../resilience/support/statistics';

/** Reports a step on stderr, and runs it. */
export const reportStep = <T>(text: string, work: () => T): T => (say(text), work());

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Smallest and largest value. */
export const spread = (values: readonly number[], shown: (value: number) => string): string =>
  `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`;

/**
 * Runs each variant once per round. The order rotates, so that other load on the machine affects all variants equally.
 * @param variants - each returns its measurement
 * @param what - label of the progress on stderr
 */
export async function alternate<Name extends string>(
  rounds: number,
  variants: Readonly<Record<Name, () => number | Promise<number>>>,
  what: string,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(variants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    say(`${what}: round ${round + 1} of ${rounds}`);
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      times[name].push(await variants[name]());
    }
  }
  return times;
}

/** Ratio of two measurements in each round. */
export const ratios = (ones: readonly number[], others: readonly number[]): number[] =>
  ones.map((one, round) => one / others[round]);

/** Resets the peak of resident memory (Linux). */
export const resetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** Peak of resident memory since the reset, MB (Linux). */
export function peakMemoryMb(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return line ? Math.round(Number(line[1]) / 1024) : NaN;
}

/** One row of the report. */
export interface Line {
  readonly cells: readonly string[];
  readonly isMet: boolean;
}

/** The target, and whether it is met. */
export type Target = readonly [text: string, isMet: boolean];

export const count = (rows: number): string => rows.toLocaleString('en-US');
export const twoDigits = (value: number): string => value.toFixed(2);

interface Measured {
  readonly what: string;
  /** One value for each round. */
  readonly values: readonly number[];
  readonly shown: (value: number) => string;
  /** Ratio to the baseline in each round. */
  readonly against?: readonly number[];
  readonly target?: Target;
}

/** A line without `target` is informational. */
export const line = ({ what, values, shown, against, target }: Measured): Line => ({
  cells: [
    what,
    shown(median(values)),
    spread(values, shown),
    against ? twoDigits(median(against)) : '',
    against ? spread(against, twoDigits) : '',
    target ? target[0] : '',
  ],
  isMet: target ? target[1] : true,
});

export const fact = (what: string, value: string, target: string, isMet: boolean): Line => ({
  cells: [what, value, '', '', '', target],
  isMet,
});

export const reportOf = (lines: readonly Line[], ...notes: readonly string[]): Report => ({
  columns: ['what', 'median', 'of the rounds', 'ratio to its baseline, median', 'of the rounds', 'target'],
  rows: lines.map(({ cells }) => cells),
  notes,
  passed: lines.every(({ isMet }) => isMet),
});
