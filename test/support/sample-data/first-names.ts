import { NAME_WAVES } from './first-name-list';

/**
 * Births in the United States, thousands, rounded: Vital Statistics of the United States and National Vital Statistics
 * Reports (births registered, estimated for the years before 1909). Straight lines between.
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
 * Share of a year's births that later got a Social Security card and so are counted: cards began in 1937, and many who
 * were born before never applied (background information of the name files, ssa.gov/oact/babynames/background.html).
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
/** A name keeps some bearers outside its wave: this share of the peak, where the wave itself has less. */
const EVERYDAY = 0.0015;

/** Value at a year on the straight lines between the points. */
export function between(points: readonly (readonly [number, number])[], year: number): number {
  const right = points.findIndex(([at]) => at >= year);
  if (right < 0) return points[points.length - 1][1];
  const [toYear, to] = points[right];
  const [fromYear, from] = points[Math.max(0, right - 1)];
  return toYear === fromYear ? to : from + ((to - from) * (year - fromYear)) / (toYear - fromYear);
}

/** A name rises and falls within this many standard deviations of its wave: no two have their years in common. */
const APART = 1.1;
/** Its fraction spreads whole multiples evenly over 0 to 1 (the golden ratio). */
const GOLDEN = 0.618034;

/** Where in its wave a name has its peak, standard deviations from that of the wave. */
const ownPeak = (place: number): number => APART * (2 * ((place * GOLDEN) % 1) - 1);

/**
 * Births of a wave's name in a year: covered births of the sex, times the share at the peak, times a bell
 * exp(-z^2 / 2) that falls half as steeply after the peak as before it (names come faster than they go).
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

/** Waves of one name and sex are added: two humps. */
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

/** `yobYYYY.txt` of every year, females first, by falling count; CRLF but for the newest year, as published. */
export function birthFiles(): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let year = FIRST_BIRTH_YEAR; year <= LAST_BIRTH_YEAR; year++) {
    const end = year === LAST_BIRTH_YEAR ? '\n' : '\r\n';
    const lines = linesOf(year).map(({ name, sex, count }) => `${name},${sex},${count}${end}`);
    files.set(`yob${year}.txt`, Buffer.from(lines.join(''), 'latin1'));
  }
  return files;
}
