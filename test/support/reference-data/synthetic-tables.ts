import {
  type BirthTable,
  type Census,
  FEMALE,
  fillSuppressed,
  type LifeTables,
  MALE,
  PackedKeyIndex,
  type Sex,
  type SurnameTable,
  TABLE_AGES,
} from '@donorlens/demographics';

const SEXES = [MALE, FEMALE] as const;

/** Synthetic births of names, by sex and year. */
export type SyntheticBirths = Readonly<Record<string, { m?: Record<number, number>; f?: Record<number, number> }>>;

export function birthTable(names: SyntheticBirths, firstYear = 1880, lastYear = 2023): BirthTable {
  const keys = Object.keys(names).sort();
  const rowStart = [0];
  const yearOffset: number[] = [];
  const count: number[] = [];
  for (const key of keys)
    for (const sex of ['m', 'f'] as const) {
      const years = Object.entries(names[key][sex] ?? {}).sort(([a], [b]) => Number(a) - Number(b));
      yearOffset.push(...years.map(([year]) => Number(year) - firstYear));
      count.push(...years.map(([, births]) => births));
      rowStart.push(count.length);
    }
  return {
    firstYear,
    lastYear,
    names: PackedKeyIndex.build(keys),
    rowStart: Uint32Array.from(rowStart),
    yearOffset: Uint8Array.from(yearOffset),
    count: Uint32Array.from(count),
  };
}

/** Life tables from a formula for q(x). */
export function lifeTables(
  q: (sex: Sex, year: number, age: number) => number,
  firstYear = 1900,
  lastYear = 2095,
): LifeTables {
  const years = lastYear - firstYear + 1;
  const table = new Float64Array(SEXES.length * years * TABLE_AGES);
  for (const sex of SEXES)
    for (let year = 0; year < years; year++)
      for (let age = 0; age < TABLE_AGES; age++)
        table[(sex * years + year) * TABLE_AGES + age] = q(sex, firstYear + year, age);
  return { firstYear, lastYear, q: table };
}

/** Everyone lives to the age of 120. */
export const immortal = lifeTables(() => 0);

/** Infant mortality that declines, and a rate that doubles about every eight years (Gompertz); lower for women. */
export const mortal = lifeTables((sex, year, age) => {
  const progress = Math.exp(-(year - 1900) / 120);
  const infant = age === 0 ? 0.12 * progress * progress : 0;
  const safer = sex === FEMALE ? 0.7 : 1;
  return Math.min(0.95, infant + safer * progress * 0.0004 * Math.exp(0.09 * age) + (sex === MALE ? 0.0002 : 0.0001));
});

/** Surnames with their six percentages in hundredths of a percent, in the order of PCT_COLUMNS; null is (S). */
export function surnameTable(census: Census, rows: Readonly<Record<string, (number | null)[]>>): SurnameTable {
  const filled = Object.values(rows).map(fillSuppressed);
  return {
    census,
    names: PackedKeyIndex.build(Object.keys(rows)),
    pct: Uint16Array.from(filled.flatMap((row) => row.pct)),
    suppressed: Uint8Array.from(filled.map((row) => row.suppressed)),
    race: Uint8Array.from(filled.map((row) => row.race)),
  };
}
