import { type CivilDay, cycleOfYear, FIRST_CYCLE, parseFecDay, yearOf } from '@donorlens/primitives';

/**
 * Day of a contribution as filed, `MMDDYYYY`.
 * @returns NaN where it is no date, and where its cycle is before 1976 or more than one after the file's: a slip of the pen
 */
export function receivedOn(text: string, fileCycle: number): CivilDay {
  const day = parseFecDay(text);
  if (day !== day) return NaN;
  const cycle = cycleOfYear(yearOf(day));
  return cycle >= FIRST_CYCLE && cycle <= fileCycle + 2 ? day : NaN;
}

/** Cycle of a contribution: that of its day, without one (NaN) that of the file. */
export const cycleOf = (day: CivilDay, fileCycle: number): number =>
  day !== day ? fileCycle : cycleOfYear(yearOf(day));
