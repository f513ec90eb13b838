import { type CivilDay, FIRST_CYCLE, cycleOfYear, parseFecDay, yearOf } from '@donorlens/primitives';

const MINUS = 45;
const POINT = 46;
/** A trillion dollars less one cent is far below what a number holds exactly. */
const MAX_DIGITS = 12;

/**
 * Whole cents of an amount as filed: `25`, `-25`, `25.5`, `25.50`, `.50`.
 * @returns NaN for anything else: empty, `1e3`, `1,000`, thirds of a cent, more than 12 digits before the point
 */
export function parseCents(text: string): number {
  let at = text.charCodeAt(0) === MINUS ? 1 : 0;
  const negative = at === 1;
  let dollars = 0;
  const first = at;
  for (; at < text.length && isDigit(text.charCodeAt(at)); at++) dollars = dollars * 10 + text.charCodeAt(at) - 48;
  const digits = at - first;
  if (digits > MAX_DIGITS) return NaN;
  let cents = 0;
  if (at === text.length) {
    if (digits === 0) return NaN;
  } else {
    cents = hundredths(text, at);
    if (cents !== cents) return NaN;
  }
  const amount = dollars * 100 + cents;
  return negative && amount !== 0 ? -amount : amount;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** One or two digits after a decimal point. */
function hundredths(text: string, point: number): number {
  const digits = text.length - point - 1;
  if (text.charCodeAt(point) !== POINT || digits < 1 || digits > 2) return NaN;
  const tenths = text.charCodeAt(point + 1);
  const rest = digits === 2 ? text.charCodeAt(point + 2) : 48;
  return isDigit(tenths) && isDigit(rest) ? (tenths - 48) * 10 + rest - 48 : NaN;
}

/**
 * Day of a contribution as filed, `MMDDYYYY`.
 * @returns NaN if it is no date, or if its cycle is before 1976 or more than one after the file's, which is a typing
 *   error
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
