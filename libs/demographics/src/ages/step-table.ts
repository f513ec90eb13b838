import type { CivilDay } from '@donorlens/primitives';
import { NO_AGE } from './living-ages';

/** First and last date, both included. */
export interface DateWindow {
  readonly from: CivilDay;
  readonly to: CivilDay;
}

/**
 * Dates on which the median age of a name changes, without a minimum age. Only names with many cells have steps.
 * AgeEstimator uses the direct sum for other names and for dates outside the window.
 */
export interface StepTable extends DateWindow {
  /** steps of name i are start[i] up to start[i + 1]; without steps the name is not in the table */
  readonly start: Uint32Array;
  /** days since `from`, ascending within a name, starting with 0 */
  readonly day: Uint16Array;
  /** median age in completed years from that day on, NULL_AGE if no person with the name is alive */
  readonly age: Uint8Array;
}

/** Stored in a step table instead of an age if no person with the name is alive. */
export const NULL_AGE = 255;
/** Returned if the table has no age for the name and date: the caller then uses the direct sum. */
export const NOT_COVERED = -2;

/** Median age on a date by binary search; NO_AGE if no person is alive, NOT_COVERED if the table has no entry. */
export function stepAge(table: StepTable, name: number, on: CivilDay): number {
  let low = table.start[name];
  let high = table.start[name + 1];
  if (low === high || !(on >= table.from && on <= table.to)) return NOT_COVERED; // also for NaN
  const day = on - table.from;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (table.day[middle] <= day) low = middle;
    else high = middle;
  }
  const age = table.age[low];
  return age === NULL_AGE ? NO_AGE : age;
}
