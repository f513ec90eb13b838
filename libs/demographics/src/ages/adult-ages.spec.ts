import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { AgeEstimator } from './age-estimator';
import { birthTable, mortal } from '../../../../test/support/synthetic-tables';

const cohorts = (first: number, last: number) =>
  Object.fromEntries(Array.from({ length: last - first + 1 }, (_, at) => [first + at, 5 + ((7 * at) % 90)]));
const births = birthTable({
  aila: { f: cohorts(1880, 2023) },
  orla: { f: cohorts(1950, 1970), m: cohorts(1990, 2000) },
  zed: { m: cohorts(2010, 2023) },
});

describe('ages of adults', () => {
  it('are those of the direct sum, asked for the first time or again', () => {
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

  it('are cached for each data release apart', () => {
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
