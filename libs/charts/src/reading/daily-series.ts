import { type CivilDay, firstDayOfCycle, formatCivilDay, lastDayOfCycle, parseCivilDay } from '@donorlens/primitives';
import { type ChartRow } from './chart-query';

/** Cumulative donors of a candidate: one number for each day of the cycle, from its first to the last that adds one. */
export interface DonorSeries {
  readonly cycle: number;
  readonly candidateId: string;
  readonly donors: readonly number[];
  /** newest contribution of the cycle, `yyyy-mm-dd` */
  readonly newestOn: string;
}

/** A line for each day; days after the last new donor repeat its number. Lines are made while they are read. */
export class DailySeries implements Iterable<ChartRow> {
  constructor(private readonly series: readonly DonorSeries[]) {}

  *[Symbol.iterator](): Generator<ChartRow> {
    const calendars = new Map<number, readonly string[]>();
    for (const one of this.series) {
      const days = calendars.get(one.cycle) ?? calendarOf(one.cycle, parseCivilDay(one.newestOn));
      calendars.set(one.cycle, days);
      const last = one.donors.length - 1;
      for (let at = 0; at < days.length; at++)
        yield [one.cycle, one.candidateId, days[at], one.donors[Math.min(at, last)]];
    }
  }
}

/** All days of a cycle to that one, at most to its end. */
function calendarOf(cycle: number, newestOn: CivilDay): readonly string[] {
  const first = firstDayOfCycle(cycle);
  const last = Math.min(newestOn, lastDayOfCycle(cycle));
  return Array.from({ length: last - first + 1 }, (_, at) => formatCivilDay(first + at));
}
