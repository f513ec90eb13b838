import { type CivilDay, civilDay, firstDayOfCycle, formatCivilDay } from '@donorlens/primitives';
import { type Random } from './random';

/** Campaigns go on to the election and a little beyond it. */
const lastDay = (cycle: number): CivilDay => civilDay(cycle, 11, 20);

/** A day of the cycle, later ones more often: a campaign grows. */
export function campaignDay(cycle: number, random: Random): CivilDay {
  const first = firstDayOfCycle(cycle) + 30;
  return first + Math.floor(Math.sqrt(random.next()) * (lastDay(cycle) - first + 1));
}

/** Of the few days that there are. */
const dates = new Map<CivilDay, string>();

/** MMDDYYYY */
export function filedDate(day: CivilDay): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const [year, month, date] = formatCivilDay(day).split('-');
  dates.set(day, month + date + year);
  return month + date + year;
}

/** What stands in a date's place now and then: nothing, a day that is none, a slip of the pen, a day of another cycle. */
export const oddDate = (cycle: number, random: Random): string =>
  random.pick(['', `0230${cycle}`, `1301${cycle - 1}`, '01012106', `1215${cycle - 2}`, `0105${cycle + 1}`]);
