import type { CivilDay } from '@donorlens/primitives';
import { NO_AGE } from './living-ages';

/** First and last date, both included. */
export interface DateWindow {
  readonly from: CivilDay;
  readonly to: CivilDay;
}

/**
 * The dates on which the median age of a name changes, all ages counted (no minimum age).
 * Only names for which it pays have steps; the direct sum answers the others, and every date outside the window.
 */
export interface StepTable extends DateWindow {
  /** steps of name i are start[i] up to start[i + 1]; none: the name is not in the table */
  readonly start: Uint32Array;
  /** days since `from`, ascending within a name, the first 0 */
  readonly day: Uint16Array;
  /** Median age in completed years from that day on; NULL_AGE if no one is alive. */
  readonly age: Uint8Array;
}

/** Value of a step without an age. */
export const NULL_AGE = 255;
/** The table does not cover the date: compute the direct sum. */
export const NOT_COVERED = -2;

/** Median age at a date by bisection: NO_AGE if no one is alive, NOT_COVERED outside the table. Allocates nothing. */
export function stepAge(table: StepTable, name: number, on: CivilDay): number {
  let low = table.start[name];
  let high = table.start[name + 1];
  if (low === high || !(on >= table.from && on <= table.to)) return NOT_COVERED; // NaN too
  const day = on - table.from;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (table.day[middle] <= day) low = middle;
    else high = middle;
  }
  const age = table.age[low];
  return age === NULL_AGE ? NO_AGE : age;
}
