import { readFileSync } from 'node:fs';
import { type KeptProcess } from '../installation';

export interface Noise {
  readonly perSecond: number;
  /** In any one second. */
  readonly burst: number;
  readonly who: string;
}

/** On average. */
const MOST_PER_SECOND = 1;
/** A process has five or six things that each tell once that a server is away. */
const MOST_AT_ONCE = 12;

/** How much each process logged since `from`; lines about single requests, of which each has one, are left out. */
export function noiseOf(processes: readonly KeptProcess[], from: Date, until = new Date()): readonly Noise[] {
  const seconds = Math.max(1, (until.getTime() - from.getTime()) / 1000);
  return processes.map(({ name, logFile }) => {
    const times = readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.endsWith('"msg":"request"}'))
      .map(timeOf)
      .filter((time) => time >= from && time < until);
    const bySecond = new Map<number, number>();
    for (const time of times) {
      const second = Math.floor(time.getTime() / 1000);
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    }
    return { who: name, perSecond: times.length / seconds, burst: Math.max(0, ...bySecond.values()) };
  });
}

/** A line that is no JSON counts, too: it was written now or a moment ago. */
function timeOf(line: string): Date {
  const time = /"time":"([^"]+)"/.exec(line)?.[1];
  return time === undefined ? new Date() : new Date(time);
}

export const isQuiet = (noise: readonly Noise[]): boolean =>
  noise.every(({ perSecond, burst }) => perSecond <= MOST_PER_SECOND && burst <= MOST_AT_ONCE);

export function toldNoise(noise: readonly Noise[]): string {
  const loudest = [...noise].sort((a, b) => b.perSecond - a.perSecond)[0];
  const burst = Math.max(...noise.map((one) => one.burst));
  return `log lines: at most ${loudest.perSecond.toFixed(2)} per second (${loudest.who}), ${burst} in one second`;
}
