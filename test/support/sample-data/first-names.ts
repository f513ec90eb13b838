import { type SourceFile } from '@donorlens/reference-data';
import { NAME_WAVES } from './first-name-list';

/**
 * Births in the United States, thousands, rounded: Vital Statistics of the United States and National Vital Statistics
 * Reports (births registered, estimated for the years before 1909). Linear interpolation between the years.
 */
const BIRTHS_IN_THOUSANDS: readonly (readonly [year: number, births: number])[] = [
  [1880, 2000],
  [1910, 2800],
  [1921, 3050],
  [1935, 2400],
  [1947, 3800],
  [1957, 4300],
  [1975, 3150],
  [1990, 4150],
  [2007, 4300],
  [2023, 3600],
];

/**
 * Share of a year's births that later received a Social Security card and so are counted. Cards began in 1937, and
 * many people born before never applied (background of the name files, ssa.gov/oact/babynames/background.html).
 */
const COVERED: readonly (readonly [year: number, share: number])[] = [
  [1880, 0.1],
  [1910, 0.3],
  [1917, 0.75],
  [1937, 0.95],
  [2023, 0.98],
];

export const [FIRST_BIRTH_YEAR, LAST_BIRTH_YEAR] = [1880, 2023];
const MIN_BIRTHS = 5;
/** A name has at least this share of its peak in every year, also outside its wave. */
const EVERYDAY = 0.0015;

/** Linear interpolation between the points; constant outside of them. */
export function between(points: readonly (readonly [number, number])[], year: number): number {
  const right = points.findIndex(([at]) => at >= year);
  if (right < 0) return points[points.length - 1][1];
  const [toYear, to] = points[right];
  const [fromYear, from] = points[Math.max(0, right - 1)];
  return toYear === fromYear ? to : from + ((to - from) * (year - fromYear)) / (toYear - fromYear);
}

/** Names peak within this many standard deviations of the peak of their wave, so that no two have the same years. */
const APART = 1.1;
/** Fractional parts of its multiples spread evenly over 0 to 1 (the golden ratio). */
const GOLDEN = 0.618034;

/** Distance of a name's peak from the peak of its wave, in standard deviations. */
const ownPeak = (place: number): number => APART * (2 * ((place * GOLDEN) % 1) - 1);

/**
 * Births of a wave's name in a year: covered births of the sex, times the share at the peak, times a bell curve
 * exp(-z^2 / 2) whose standard deviation is 1.4 times as large after the peak (names come faster than they go).
 */
function births(year: number, sex: 'F' | 'M', peak: number, spread: number, perTenThousand: number): number {
  const ofSex = between(BIRTHS_IN_THOUSANDS, year) * 1000 * between(COVERED, year) * (sex === 'M' ? 0.512 : 0.488);
  const z = (year - peak) / (year < peak ? spread : 1.4 * spread);
  return ofSex * (perTenThousand / 10_000) * Math.max(Math.exp((-z * z) / 2), EVERYDAY);
}

interface Line {
  readonly name: string;
  readonly sex: 'F' | 'M';
  readonly count: number;
}

/** Adds the waves of one name and sex, which gives two peaks. */
function linesOf(year: number): Line[] {
  const counts = new Map<string, number>();
  for (const { sex, peak, spread, names } of NAME_WAVES)
    names.split(' ').forEach((entry, place) => {
      const [name, share] = entry.split(':');
      const born = births(year, sex, peak + spread * ownPeak(place), spread, Number(share));
      counts.set(`${sex}${name}`, (counts.get(`${sex}${name}`) ?? 0) + born);
    });
  return [...counts]
    .map(([key, count]): Line => ({
      sex: key.startsWith('F') ? 'F' : 'M',
      name: key.slice(1),
      count: Math.round(count),
    }))
    .filter(({ count }) => count >= MIN_BIRTHS)
    .sort((a, b) => (a.sex < b.sex ? -1 : a.sex > b.sex ? 1 : b.count - a.count || (a.name < b.name ? -1 : 1)));
}

/** `yobYYYY.txt` of every year: females first, by descending count; CRLF except for the newest year, as published. */
export function birthFiles(): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let year = FIRST_BIRTH_YEAR; year <= LAST_BIRTH_YEAR; year++) {
    const end = year === LAST_BIRTH_YEAR ? '\n' : '\r\n';
    const lines = linesOf(year).map(({ name, sex, count }) => `${name},${sex},${count}${end}`);
    files.set(`yob${year}.txt`, Buffer.from(lines.join(''), 'latin1'));
  }
  return files;
}

/** First names by race and ethnicity, synthetic. */
export const FIRST_NAMES_BY_RACE: SourceFile = {
  ...{ file: 'dataverse/firstnames.csv', url: 'file:firstnames.csv', retrievedAt: '2026-01-01T00:00:00Z', sha256: '0' },
  bytes: Buffer.from(`firstname,obs,pcthispanic,pctwhite,pctblack,pctapi,pctaian,pct2prace
MARY,10000,5,50,40,2,1,2
ALL OTHER FIRST NAMES,990000,10,70,10,6,1,3
`),
};
