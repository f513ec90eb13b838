import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { ADULT_AGE, AdultAges } from './adult-ages';
import { AgeEstimator } from './age-estimator';
import { birthTable, immortal, mortal } from '../../../../test/support/reference-data/synthetic-tables';

const cohorts = (first: number, last: number) =>
  Object.fromEntries(Array.from({ length: last - first + 1 }, (_, at) => [first + at, 5 + ((7 * at) % 90)]));
const births = birthTable({
  aila: { f: cohorts(1880, 2023) },
  orla: { f: cohorts(1950, 1970), m: cohorts(1990, 2000) },
  uma: { f: { 1960: 10, 1970: 5 }, m: { 1950: 20, 1955: 5 } },
  zed: { m: cohorts(2010, 2023) },
});

describe('ages of adults', () => {
  it('are computed once for a name and a day from 1970 to 2149, and each time for other days', () => {
    const compute = jest.fn((name: number, on: number) => (7 * name + (on % 50)) % 100);
    const ages = new AdultAges(compute);
    const [first, last] = [0, 2 ** 16 - 1]; // 2149-06-06
    for (const name of [0, 1, 250])
      for (const on of [first, last, 18_262])
        for (let query = 0; query < 3; query++) expect(ages.ageAt(name, on)).toBe((7 * name + (on % 50)) % 100);
    expect(compute).toHaveBeenCalledTimes(9);
    for (const on of [first - 1, last + 1]) for (let query = 0; query < 3; query++) ages.ageAt(0, on);
    expect(compute).toHaveBeenCalledTimes(15);
  });

  it('keep names and days apart that use the same entry', () => {
    const ageOf = (name: number, on: number): number => (7 * name + 13 * on) % 101;
    const ages = new AdultAges(ageOf);
    // 200 days of 1,000 names are more than all entries
    for (let round = 0; round < 2; round++)
      for (let name = 0; name < 1000; name++)
        for (let on = 0; on < 200; on++)
          if (ages.ageAt(name, on) !== ageOf(name, on)) throw new Error(`${name} on ${on}`);
  });

  it('equal the direct sum, for the first and for a cached query', () => {
    const ages = new AgeEstimator(births, mortal);
    const day = fc.integer({ min: civilDay(1960, 1, 1), max: civilDay(2160, 1, 1) });
    fc.assert(
      fc.property(fc.constantFrom('Aila', 'Orla', 'Zed'), day, (name, on) => {
        const index = ages.nameIndex(name);
        const age = ages.ageDirect(index, on, ADULT_AGE);
        expect([ages.ageAt(index, on, ADULT_AGE), ages.ageAt(index, on, ADULT_AGE)]).toEqual([age, age]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['mortal', mortal],
    ['immortal, where half of the people often are exactly at an age', immortal],
  ])('equal the direct sum for any minimum age, also with the cached weights of a year: %s', (_title, life) => {
    const [ages, direct] = [new AgeEstimator(births, life), new AgeEstimator(births, life)];
    const day = fc.integer({ min: civilDay(2000, 1, 1), max: civilDay(2001, 12, 31) });
    fc.assert(
      fc.property(fc.nat(births.names.size - 1), day, fc.integer({ min: 1, max: 100 }), (name, on, minAge) => {
        expect(ages.ageAt(name, on, minAge)).toBe(direct.ageDirect(name, on, minAge));
      }),
      { numRuns: 2000 },
    );
  });

  it('are cached separately for each data release', () => {
    const on = civilDay(2020, 6, 1);
    const other = birthTable({ aila: { f: { 1950: 10 } } });
    const ages = [births, other].map((table) => {
      const estimator = new AgeEstimator(table, mortal);
      return estimator.ageAt(estimator.nameIndex('Aila'), on, ADULT_AGE);
    });
    expect(ages[1]).toBe(69);
    expect(ages[0]).not.toBe(69);
  });
});
