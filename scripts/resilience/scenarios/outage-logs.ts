import { readFileSync } from 'node:fs';
import { type SupervisedProcess } from '../../../test/support/installation';

export interface LogRate {
  readonly process: string;
  readonly perSecond: number;
  /** Most lines in one second. */
  readonly burst: number;
}

/** How much each process has logged since `from`, without the line of each request. */
export function logRates(processes: readonly SupervisedProcess[], from: Date, until = new Date()): readonly LogRate[] {
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
    return { process: name, perSecond: times.length / seconds, burst: Math.max(0, ...bySecond.values()) };
  });
}

/** A line that is no JSON counts as written now. */
function timeOf(line: string): Date {
  const time = /"time":"([^"]+)"/.exec(line)?.[1];
  return time === undefined ? new Date() : new Date(time);
}
