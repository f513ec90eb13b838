import { readFileSync, writeFileSync } from 'node:fs';
import { Progress } from './progress';

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
export async function inTurns<Name extends string>(
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

const rows: string[][] = [];

export function report(what: string, value: string, ratio = ''): void {
  rows.push([what, value, ratio]);
  process.stdout.write(`${what.padEnd(62)} ${value.padStart(18)}  ${ratio}\n`);
}

export const perSecond = (items: number, ms: number): string =>
  `${Math.round((items / ms) * 1000).toLocaleString('en-US')}/s`;
