import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { birthTable, immortal, lifeTables, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { AgeEstimator } from './age-estimator';
import { type BirthTable } from './birth-table';
import { CohortSurvival, type LifeTables } from './cohort-survival';
import { MedianBounds } from './median-bounds';
import { buildStepTable } from './step-table-builder';
import { YearWeights } from './year-weights';

const jagged = lifeTables((sex, year, age) => ((year * 7 + age * 13 + sex * 5) % 11) / 20);
const fewGrowOld = lifeTables((_sex, _year, age) => (age === 0 ? 0.99 : 0.02));

describe('bounds of the median age within a year', () => {
  const FIRST = 1990;
  /** Bounds for the first 365 days of a year, and the direct sum to which the test compares them. */
  const readingsOf = (births: BirthTable, life: LifeTables, year: number) => {
    const from = civilDay(year, 1, 1);
    const weights = new YearWeights(new CohortSurvival(life, births.firstYear, births.lastYear));
    weights.fill(from, from + 364);
    const direct = new AgeEstimator(births, life);
    return { from, direct, bounds: new MedianBounds(births, weights, (name, on) => direct.ageDirect(name, on)) };
  };

  const yearly = fc.dictionary(
    fc.integer({ min: FIRST, max: FIRST + 11 }).map(String),
    fc.oneof(fc.integer({ min: 5, max: 40 }), fc.integer({ min: 5, max: 100_000 })),
    { maxKeys: 6 },
  );
  const life = fc.constantFrom(immortal, mortal, fewGrowOld, jagged);
  const year = fc.oneof(fc.integer({ min: FIRST - 1, max: FIRST + 25 }), fc.integer({ min: FIRST + 118, max: 2122 }));
  const stretches = fc.array(fc.tuple(fc.nat(364), fc.nat(364)), { minLength: 60, maxLength: 60 });

  it('give the age of each day, and prove a constant age only if it does not change', () => {
    fc.assert(
      fc.property(yearly, yearly, yearly, life, year, stretches, (m, f, other, life, year, stretches) => {
        const births = birthTable({ ann: { f: other }, pat: { m, f } }, FIRST, FIRST + 11);
        const { from, direct: ages, bounds } = readingsOf(births, life, year);
        for (const name of [1, 0]) {
          const daily = Array.from({ length: 365 }, (_, day) => ages.ageDirect(name, from + day));
          bounds.open(name);
          for (const [one, another] of stretches) {
            const [first, last] = [Math.min(one, another), Math.max(one, another)];
            bounds.read(from + last, 1);
            bounds.read(from + first, 0);
            expect([bounds.age(0), bounds.age(1)]).toEqual([daily[first], daily[last]]);
            if (bounds.isConstant(0, 1)) expect(new Set(daily.slice(first, last + 1)).size).toBe(1);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  /** Death rates by age, very high at some ages, so that the median age can change and return within a year. */
  const deaths = fc.array(fc.constantFrom(0, 0.02, 0.3, 0.9, 0.99), { minLength: 6, maxLength: 6 });
  const births = (most: number) => fc.integer({ min: 0, max: most });
  const lastFive = fc.tuple(births(1_000), births(600), births(300), births(200), births(100));

  it('do not prove a constant age if it changes and returns', () => {
    fc.assert(
      fc.property(deaths, lastFive, (byAge, born) => {
        const YEAR = 1995;
        const life = lifeTables((_sex, _year, age) => byAge[Math.min(age, 5)], 1988, 2003);
        const f = Object.fromEntries(born.map((count, n) => [YEAR - 4 + n, count]).filter(([, count]) => count > 0));
        const table = birthTable({ ann: { f } }, FIRST, FIRST + 11);
        const { from, direct, bounds } = readingsOf(table, life, YEAR);
        bounds.open(0);
        const weekly = Array.from({ length: 53 }, (_, week) => direct.ageDirect(0, from + 7 * week));
        for (let first = 0; first < weekly.length; first++) {
          bounds.read(from + 7 * first, 0);
          for (let last = first, left = false; last < weekly.length; last++) {
            left ||= weekly[last] !== weekly[first];
            if (weekly[last] !== weekly[first] || !left) continue;
            bounds.read(from + 7 * last, 1);
            expect(bounds.isConstant(0, 1)).toBe(false);
          }
        }
      }),
      {
        numRuns: 100,
        examples: [
          [
            [0, 0.02, 0, 0.9, 0.99, 0.99],
            [426, 76, 164, 118, 14],
          ],
          [
            [0.9, 0, 0.3, 0.02, 0.9, 0.3],
            [246, 42, 0, 105, 11],
          ],
          [
            [0, 0.3, 0.02, 0.99, 0.9, 0.3],
            [819, 0, 5, 87, 46],
          ],
          [
            [0.3, 0.99, 0.02, 0.02, 0.3, 0.3],
            [581, 134, 41, 0, 6],
          ],
          [
            [0.9, 0, 0, 0.02, 0.9, 0.02],
            [291, 114, 77, 122, 68],
          ],
          [
            [0.99, 0, 0, 0.99, 0.3, 0.9],
            [0, 630, 85, 49, 26],
          ],
          [
            [0.99, 0.3, 0.3, 0.3, 0.9, 0.02],
            [852, 71, 111, 138, 0],
          ],
          [
            [0.99, 0, 0.3, 0.99, 0.3, 0.99],
            [8, 600, 247, 171, 34],
          ],
        ],
      },
    );
  });

  const sixty = (born: (n: number) => number) =>
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [1940 + n, born(n)]));
  const NAMES = {
    'of one year': { 1999: 36_500 },
    'more each year': sixty((n) => 1_000 + 37 * n),
    'up and down': sixty((n) => 1_000 + 370 * ((n * 7) % 5)),
    'of two times': { 1940: 50, 1941: 60, 1942: 40, 1990: 50, 1991: 60, 1992: 45 },
  };
  const LIVES = { immortal, some: mortal, many: jagged };

  /** Nine bisections find a day, plus the two ends of the year; years with births or many deaths need more. */
  it.each<[keyof typeof NAMES, keyof typeof LIVES, number, number]>([
    ['of one year', 'immortal', 1991, 2],
    ['of one year', 'immortal', 2016, 11],
    ['of one year', 'some', 2016, 11],
    ['of one year', 'many', 2000, 12],
    ['more each year', 'immortal', 1960, 31],
    ['more each year', 'immortal', 2016, 11],
    ['more each year', 'some', 1991, 36],
    ['more each year', 'some', 2016, 14],
    ['more each year', 'many', 1960, 42],
    ['more each year', 'many', 2016, 19],
    ['up and down', 'immortal', 1960, 12],
    ['up and down', 'immortal', 2016, 2],
    ['up and down', 'some', 1960, 24],
    ['up and down', 'some', 1991, 4],
    ['up and down', 'many', 1960, 63],
    ['up and down', 'many', 2030, 33],
    ['of two times', 'immortal', 2016, 11],
    ['of two times', 'some', 1991, 10],
    ['of two times', 'many', 1991, 5],
  ])('need few reads to build the step table: births %s, deaths %s, year %d', (name, dies, year, most) => {
    const read = jest.spyOn(MedianBounds.prototype, 'read');
    const window = { from: civilDay(year, 1, 1), to: civilDay(year, 12, 31) };
    buildStepTable(birthTable({ ann: { f: NAMES[name] } }, 1940, 1999), LIVES[dies], window, 1);
    expect(read.mock.calls.length).toBeLessThanOrEqual(most);
    read.mockRestore();
  });
});
