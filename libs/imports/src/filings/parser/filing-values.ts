import { type CivilDay, parseCivilDay } from '@donorlens/primitives';

const YEAR_FIRST = /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)$/;
const YEAR_LAST = /^(\d\d)[-/](\d\d)[-/](\d{4})$/;

/** Year, month and day of a date as filed: YYYYMMDD, or MM/DD/YYYY in the first versions. */
function parts(text: string): readonly [year: string, month: string, day: string] | null {
  const first = YEAR_FIRST.exec(text);
  if (first !== null) return [first[1], first[2], first[3]];
  const last = YEAR_LAST.exec(text);
  return last === null ? null : [last[3], last[1], last[2]];
}

/** NaN if the text is no date. */
export function filedDay(text: string): CivilDay {
  const date = parts(text);
  return date === null ? NaN : parseCivilDay(date.join('-'));
}

/** The date in the form of the bulk files, MMDDYYYY. It may not exist in the calendar. Empty if the text is no date. */
export function bulkDate(text: string): string {
  const date = parts(text);
  return date === null ? '' : `${date[1]}${date[2]}${date[0]}`;
}

const NAMED_BY_NUMBER = /(?:^|[/\\])(\d{1,9})\.fec$/i;

/** Number of a filing by the file name that the FEC uses, `1385191.fec`; null for another name. */
export const fileNumberIn = (name: string): string | null =>
  NAMED_BY_NUMBER.exec(name)?.[1].replace(/^0+(?=\d)/, '') ?? null;

/** Substitute for a missing filing number: negative, derived from the bytes of the file. */
export const substituteNumber = (sha256: Buffer): string => String(-(sha256.readUIntBE(0, 6) + 1));
