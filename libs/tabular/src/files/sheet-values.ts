import { formatCivilDay } from '@donorlens/primitives';

/** Number of 1970-01-01. */
export const UNIX_EPOCH = 25_569;
/** 1900-03-01: only from this day on all programs agree on the number. */
export const FIRST_DATE = 61;
/** 9999-12-31 */
const LAST_DATE = 2_958_465;
/** Days that a workbook with dates from 1904 counts less. */
const DAYS_TO_1904 = 1462;
const DAY_SECONDS = 86_400;

/** How a number is shown, as far as that changes what is read. */
export interface NumberFormat {
  readonly date?: 'day' | 'time';
  /** Zeros and hyphens, as `00000` or `00000-0000` of ZIP codes. */
  readonly mask?: string;
}

/** Formats that a workbook has without naming them; those from 27 on are dates of East Asian editions. */
const BUILT_IN_DAYS = [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58];
const BUILT_IN_TIME = 22;

/** @param code - of the format, unless the workbook does not name it */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined)
    return BUILT_IN_DAYS.includes(id) ? { date: 'day' } : id === BUILT_IN_TIME ? { date: 'time' } : {};
  const mask = code.replace(/["\\]/g, '').split(';', 1)[0];
  if (/^0[0-]+$/.test(mask)) return { mask };
  // without texts, escaped letters, fillers, colors and locales
  const letters = code.replace(/"[^"]*"|[\\_*].|\[(?![hms]+\])[^\]]*\]/gi, '').split(';', 1)[0];
  if (/^general$/i.test(letters) || !/[yd]|mmm/i.test(letters)) return {};
  return { date: /[hs]/i.test(letters) ? 'time' : 'day' };
}

/**
 * A number as text: dates as 2016-10-31, or 2016-10-31 09:30:00 if the format shows a time; digits by the mask.
 * Other formats (currency, percent) change nothing.
 * @param value - as stored
 */
export function numberText(value: string, { date, mask }: NumberFormat, from1904: boolean): string {
  if (date !== undefined) return dateText(Number(value) + (from1904 ? DAYS_TO_1904 : 0), date) ?? plainNumber(value);
  return mask !== undefined && /^\d+$/.test(value) ? masked(value, mask) : plainNumber(value);
}

/** Programs store 5.1 as 5.0999999999999996. Digits of long ids stay as they are. */
const plainNumber = (value: string): string =>
  /^-?\d+$/.test(value) || !Number.isFinite(Number(value)) ? value : String(Number(value));

/** @returns null of a number that is no date */
function dateText(serial: number, date: 'day' | 'time'): string | null {
  const seconds = Math.round(serial * DAY_SECONDS);
  const day = date === 'time' ? Math.floor(seconds / DAY_SECONDS) : Math.floor(serial);
  if (!(day >= FIRST_DATE && day <= LAST_DATE)) return null;
  const text = formatCivilDay(day - UNIX_EPOCH);
  const rest = seconds - day * DAY_SECONDS;
  return date === 'day' || rest === 0 ? text : `${text} ${timeText(rest)}`;
}

const timeText = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');

function masked(digits: string, mask: string): string {
  const zeros = mask.replaceAll('-', '').length;
  const padded = digits.padStart(zeros, '0');
  let at = padded.length - zeros;
  return padded.slice(0, at) + [...mask].map((sign) => (sign === '0' ? padded[at++] : sign)).join('');
}
