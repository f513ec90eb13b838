import { type CivilDay, parseCivilDay } from '@donorlens/primitives';

const YEAR_FIRST = /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)$/;
const YEAR_LAST = /^(\d\d)[-/](\d\d)[-/](\d{4})$/;

/** Year, month and day of a date as filed: YYYYMMDD, and what the first versions had: MM/DD/YYYY. */
function parts(text: string): readonly [year: string, month: string, day: string] | null {
  const first = YEAR_FIRST.exec(text);
  if (first !== null) return [first[1], first[2], first[3]];
  const last = YEAR_LAST.exec(text);
  return last === null ? null : [last[3], last[1], last[2]];
}

/** NaN for what is no date. */
export function filedDay(text: string): CivilDay {
  const date = parts(text);
  return date === null ? NaN : parseCivilDay(date.join('-'));
}

/** The date as the bulk files write it, MMDDYYYY: as filed, so possibly none of the calendar; '' for other text. */
export function bulkDate(text: string): string {
  const date = parts(text);
  return date === null ? '' : `${date[1]}${date[2]}${date[0]}`;
}

const NAMED_BY_NUMBER = /(?:^|[/\\])(\d{1,9})\.fec$/i;

/** Number of a filing by the name that the FEC publishes it under, `1385191.fec`; null for another name. */
export const fileNumberIn = (name: string): string | null =>
  NAMED_BY_NUMBER.exec(name)?.[1].replace(/^0+(?=\d)/, '') ?? null;

/** Substitute for a missing filing number: negative, derived from the bytes of the file. */
export const standInNumber = (sha256: Buffer): string => String(-(sha256.readUIntBE(0, 6) + 1));
