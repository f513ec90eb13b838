/**
 * A civil date (no hour, no zone) as whole days since 1970-01-01 in the proleptic Gregorian calendar.
 * A plain number, so that a million dates cost no objects.
 */
export type CivilDay = number;

export const FIRST_YEAR = 1000;
export const LAST_YEAR = 9999;

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export const daysInYear = (year: number): 365 | 366 => (isLeapYear(year) ? 366 : 365);

export const daysInMonth = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : DAYS_IN_MONTH[month];

/** Days since 1970-01-01; the caller has checked that year, month (1-12) and day (1-31) make a real date. */
export function civilDay(year: number, month: number, day: number): CivilDay {
  const y = year - 1;
  const beforeYear = y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  const leapDay = month > 2 && isLeapYear(year) ? 1 : 0;
  return beforeYear + DAYS_BEFORE_MONTH[month] + leapDay + day - 1 - 719_162;
}

/** Makes every number it is part of negative, and so no part of a date; a whole number, because NaN is slow to add up. */
const NO_DIGIT = -1_000_000;
const digit = (text: string, at: number): number => {
  const d = text.charCodeAt(at) - 48;
  return d >= 0 && d <= 9 ? d : NO_DIGIT;
};
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

const checked = (year: number, month: number, day: number): CivilDay =>
  year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
    ? civilDay(year, month, day)
    : NaN;

/** Reads `yyyy-mm-dd`, years 1000 to 9999; NaN for anything else, impossible dates included. Allocates nothing. */
export function parseCivilDay(text: string): CivilDay {
  if (text.length !== 10 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return NaN;
  return checked(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8));
}

/** Reads the FEC bulk files' `MMDDYYYY`; NaN for anything else. */
export function parseFecDay(text: string): CivilDay {
  if (text.length !== 8) return NaN;
  return checked(twoDigits(text, 4) * 100 + twoDigits(text, 6), twoDigits(text, 0), twoDigits(text, 2));
}

/** Gregorian year of a civil day. Exact for every day of the years 1000 to 9999. */
export function yearOf(day: CivilDay): number {
  const days = day + 719_162;
  let year = Math.floor(days / 365.2425) + 1;
  if (day < civilDay(year, 1, 1)) year--;
  else if (day >= civilDay(year + 1, 1, 1)) year++;
  return year;
}

/** 0 for the first of January. */
export const dayOfYear = (day: CivilDay): number => day - civilDay(yearOf(day), 1, 1);

export function formatCivilDay(day: CivilDay): string {
  const year = yearOf(day);
  let rest = day - civilDay(year, 1, 1);
  let month = 1;
  while (rest >= daysInMonth(year, month)) rest -= daysInMonth(year, month++);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(rest + 1).padStart(2, '0')}`;
}

/** The first cycle that the FEC's files know. */
export const FIRST_CYCLE = 1976;
/** The last cycle that a date may have; a later one is a typing error. */
export const LAST_CYCLE = 2100;

/** Two years, named for the even one that ends them: 2019 belongs to 2020. */
export const cycleOfYear = (year: number): number => year + (year % 2);

export const firstDayOfCycle = (cycle: number): CivilDay => civilDay(cycle - 1, 1, 1);

export const lastDayOfCycle = (cycle: number): CivilDay => civilDay(cycle, 12, 31);
