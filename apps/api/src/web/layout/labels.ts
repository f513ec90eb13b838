import { type CivilDay, formatCivilDay } from '@donorlens/primitives';

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `July 1, 2017`. */
export function longDate(day: CivilDay): string {
  const [year, month, date] = formatCivilDay(day).split('-').map(Number);
  return `${MONTHS[month - 1]} ${date}, ${year}`;
}

/** The text with its first letter in upper case. */
export const capitalized = (text: string): string => text[0].toUpperCase() + text.slice(1);

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,595,497`; expected numbers of people are rounded; more than zero never becomes 0. */
export const count = (people: number): string => (people > 0 && people < 0.5 ? '< 1' : whole.format(people));

/** `40 seconds`, `12 minutes`, `3 hours`: rounded like an estimate. */
export function duration(seconds: number): string {
  const [number, unit] =
    seconds < 100 ? [seconds, 'second'] : seconds < 6000 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  const shown = Math.round(number);
  return `${count(shown)} ${unit}${shown === 1 ? '' : 's'}`;
}

/** `99.6%`; only a share of exactly 1 is `100%`, and only one of exactly 0 is `0%`. */
export function percent(share: number): string {
  const rounded = Math.round(share * 1000) / 10;
  if (rounded === 0 && share > 0) return 'under 0.1%';
  return rounded === 100 && share < 1 ? 'over 99.9%' : `${rounded}%`;
}

/** Share of one sex. The birth files omit counts below five per year, so a name is never certainly of one sex. */
export function sexShare(share: number): string {
  if (share === 1) return 'over 99.9%';
  return share === 0 ? 'under 0.1%' : percent(share);
}

export const GENDERS = { m: 'male', f: 'female' } as const;

/** Years by which ages by name were too low for members of Congress, rounded from the table of docs/method.md. */
export const AGE_ERROR_YEARS = { name: 15, adult: 11 } as const;

/** `2026-11-21`, UTC. */
export const isoDay = (date: Date): string => date.toISOString().slice(0, 10);

/** Labels for the origin of data. */
export const DATA_ORIGIN_LABELS = {
  official: 'official',
  folder: 'from a folder',
  sample: 'synthetic sample',
} as const;
