import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { birthTable, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { FEMALE, MALE } from './birth-table';
import { CohortSurvival } from './cohort-survival';
import { DateWeightCache, WEIGHTS_PER_COHORT, fillCohortWeights } from './date-weights';
import { YearWeightCache } from './year-weights';

const births = birthTable({ ada: { f: { 1990: 1, 1992: 1 } }, bram: { m: { 1994: 1 } }, kim: { m: { 1990: 1 } } });
const { firstYear, lastYear } = births;
const survival = new CohortSurvival(mortal, firstYear, lastYear);
const at = (sex: number, year: number): number => WEIGHTS_PER_COHORT * (sex * survival.cohorts + year - firstYear);
const ADA = [
  [FEMALE, 1990],
  [FEMALE, 1992],
] as const;
const [ON, ...OTHERS] = [2011, 2012, 2013, 2014].map((year) => civilDay(year, 5, 17));

describe('the cached weights of a date', () => {
  it('equal fillCohortWeights for each cohort of the name, independent of earlier queries', () => {
    const cohorts = [ADA, [[MALE, 1994]], [[MALE, 1990]]] as const;
    const asked = fc.record({ on: fc.integer({ min: ON, max: ON + 5 }), name: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (questions, capacity) => {
        const cache = new DateWeightCache(births, survival, capacity);
        for (const { on, name } of questions) {
          const weights = cache.weightsAt(on, name);
          const exact = new Float64Array(weights.length);
          for (const [sex, year] of cohorts[name]) {
            fillCohortWeights(survival, sex, year, on, exact);
            expect(weights[at(sex, year)]).toBe(exact[at(sex, year)]);
            expect(weights[at(sex, year) + 1]).toBe(exact[at(sex, year) + 1]);
          }
        }
      }),
    );
  });

  it('are computed only for the cohorts of the name', () => {
    const cache = new DateWeightCache(births, survival);
    const known = cache.weightsAt(ON, 0).filter((weight) => !Number.isNaN(weight));
    expect(known).toHaveLength(WEIGHTS_PER_COHORT * ADA.length);
  });
});

describe('dates in a cache of limited capacity', () => {
  const MARK = 42;
  /** For each date in order, whether the cache still holds its marked weights. */
  const keptOf = (cache: DateWeightCache, dates: readonly number[]): boolean[] =>
    dates.map((on) => cache.weightsAt(on, 0)[at(FEMALE, 1990)] === MARK);
  const marked = (capacity: number, dates: readonly number[]): DateWeightCache => {
    const cache = new DateWeightCache(births, survival, capacity);
    for (const on of dates) cache.weightsAt(on, 0)[at(FEMALE, 1990)] = MARK;
    return cache;
  };
  const [A, B, C, D] = [ON, ...OTHERS];

  it('stay in the cache while it has free slots', () =>
    expect(keptOf(marked(4, [A, B, C, D]), [A, B, C, D])).toEqual(Array(4).fill(true)));

  it('are evicted in insertion order', () => {
    expect(keptOf(marked(3, [A, B, C, D]), [B, C, D, A])).toEqual([true, true, true, false]);
    expect(keptOf(marked(2, [A, B, C, D]), [C, D, A])).toEqual([true, true, false]);
  });

  it('are not evicted the first time if they were used again', () => {
    const cache = marked(3, [A, B, C]);
    cache.weightsAt(A, 0);
    cache.weightsAt(D, 0);
    expect(keptOf(cache, [A, C, B])).toEqual([true, true, false]);
  });

  it('get only one second chance', () => {
    const cache = marked(2, [A, B]);
    for (const on of [A, B, C]) cache.weightsAt(on, 0); // C replaces A after the hand has passed all slots
    expect(keptOf(cache, [B, A])).toEqual([true, false]);
  });
});

describe('the cached weights of a year', () => {
  const usesUntilKnown = (cache: YearWeightCache, on: number): number => {
    let uses = 1;
    while (cache.find(on) === null && uses < 100) uses++;
    return uses;
  };

  it('are computed at the 25th use of the year, and cached for the last 16 such years', () => {
    const cache = new YearWeightCache(survival);
    expect(usesUntilKnown(cache, ON)).toBe(25);
    for (let year = 2012; year < 2027; year++) usesUntilKnown(cache, civilDay(year, 1, 1));
    expect(usesUntilKnown(cache, ON)).toBe(1);
    usesUntilKnown(cache, civilDay(2027, 1, 1));
    expect(usesUntilKnown(cache, civilDay(2012, 1, 1))).toBe(1);
    expect(usesUntilKnown(cache, ON)).toBe(25);
  });
});
