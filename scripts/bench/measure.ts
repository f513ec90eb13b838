import { readFileSync, writeFileSync } from 'node:fs';
import { type Report } from '../command/report';

const AFTER_MS = 1_000;
const EVERY_MS = 5_000;

/** What is being done, on stderr: each change of it, a second apart at least, and how long it takes where nothing changes. */
export class Progress {
  private last = '';
  private since = 0;
  private shownAt = -Infinity;
  private readonly timer = setInterval(() => this.stillAtIt(), EVERY_MS);

  say(text: string): void {
    this.last = text;
    this.since = performance.now();
    if (this.since - this.shownAt >= AFTER_MS) this.show(text);
  }

  end(): void {
    clearInterval(this.timer);
  }

  private stillAtIt(): void {
    const now = performance.now();
    if (now - this.shownAt >= AFTER_MS) this.show(`${this.last}, ${Math.round((now - this.since) / 1000)} s`);
  }

  private show(text: string): void {
    this.shownAt = performance.now();
    process.stderr.write(`${text}\n`);
  }
}

/** Says what is done, and every few seconds how long it has taken. */
export async function saying<T>(text: string, work: () => T | Promise<T>): Promise<T> {
  const progress = new Progress();
  progress.say(text);
  try {
    return await work();
  } finally {
    progress.end();
  }
}

/** Median of some runs, nanoseconds per item. */
export function nsPerItem(items: number, runs: number, work: () => void): number {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = process.hrtime.bigint();
    work();
    times.push(Number(process.hrtime.bigint() - start) / items);
  }
  return median(times);
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
};

/** Smallest and largest, by what is shown. */
export const spread = (values: readonly number[], shown: (value: number) => string): string =>
  `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`;

/**
 * Runs each variant once a round, in an order that moves on from round to round: what else the machine does meets all
 * of them alike.
 * @param variants  each gives its own measure
 * @param what      is said on stderr with the round and the variant
 */
export async function alternate<Name extends string>(
  rounds: number,
  variants: Readonly<Record<Name, () => number | Promise<number>>>,
  what: string,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(variants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  const progress = new Progress();
  try {
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + turn) % names.length];
        progress.say(`${what}: round ${round + 1} of ${rounds}, ${name}`);
        times[name].push(await variants[name]());
      }
  } finally {
    progress.end();
  }
  return times;
}

/** Of each round's two: how many times as long the one took as the other. */
export const ratios = (ones: readonly number[], others: readonly number[]): number[] =>
  ones.map((one, round) => one / others[round]);

/** Forgets the peak so far, so that the next one is that of the work in between (Linux). */
export const resetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** Largest resident set of a living process since then, MB (Linux). */
export function peakMemoryMb(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return line ? Math.round(Number(line[1]) / 1024) : NaN;
}

export const residentMb = (pid: number): number => {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return line ? Math.round(Number(line[1]) / 1024) : NaN;
};

export const perSecond = (items: number, ms: number): string =>
  `${Math.round((items / ms) * 1000).toLocaleString('en-US')}/s`;

/** A line of a part's table. */
export interface Line {
  readonly cells: readonly string[];
  readonly isMet: boolean;
}

/** What is aimed at, and whether it is there. */
export type Target = readonly [text: string, isMet: boolean];

export const count = (rows: number): string => rows.toLocaleString('en-US');
export const twoDigits = (value: number): string => value.toFixed(2);

interface Measured {
  readonly what: string;
  /** One of each round. */
  readonly values: readonly number[];
  readonly shown: (value: number) => string;
  /** Of each round, to what it is measured against. */
  readonly against?: readonly number[];
  readonly target?: Target;
}

/** Without `target` a line informs. */
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

export const reportOf = (
  lines: readonly Line[],
  { notes, versions }: Required<Pick<Report, 'notes' | 'versions'>>,
): Report => ({
  columns: ['what', 'median', 'of the rounds', 'ratio to its baseline, median', 'of the rounds', 'target'],
  rows: lines.map(({ cells }) => cells),
  notes,
  versions,
  passed: lines.every(({ isMet }) => isMet),
});
