import fc from 'fast-check';
import { immortal, lifeTables, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { FEMALE, MALE, SEXES } from './birth-table';
import { CohortSurvival, OLDEST_DAY, pchipSlopes, yearlyHazard } from './cohort-survival';

/** Published q(x) of the first years of two cohorts; all other cells are 1 %. */
const published = new Map([
  [`${MALE} 1947 0`, 0.03594],
  [`${MALE} 1948 1`, 0.002727],
  [`${MALE} 1949 2`, 0.001649],
  [`${FEMALE} 1900 0`, 0.119694],
  [`${FEMALE} 1900 1`, 0.036172],
]);
const life = lifeTables((sex, year, age) => published.get(`${sex} ${year} ${age}`) ?? 0.01);
const survival = new CohortSurvival(life, 1880, 2023);

describe('survival of a cohort, worked by hand', () => {
  it('adds the hazards along the diagonal: males born in 1947 use the rows of 1947, 1948, 1949', () => {
    const hazards = [1, 2, 3].map((age) => survival.cumulativeHazard(MALE, 1947, age));
    [0.03660175, 0.03933247, 0.04098283].forEach((hand, i) => expect(hazards[i]).toBeCloseTo(hand, 8));
  });

  it('uses the slopes of the monotone cubic', () => {
    const steps = Float64Array.of(0.03660175, 0.00273072, 0.00165036);
    const slopes = pchipSlopes(steps);
    [0.05353726, 0.00508228, 0.00205734].forEach((hand, i) => expect(slopes[i]).toBeCloseTo(hand, 7));
  });

  it('interpolates the cumulative hazard within a year of age', () => {
    expect(survival.cumulativeHazard(MALE, 1947, 0.5)).toBeCloseTo(0.02435774, 8);
    expect(survival.cumulativeHazard(MALE, 1947, 1.25)).toBeCloseTo(0.03764668, 8);
  });

  it('uses the first year of the tables for years before it', () => {
    expect(survival.cumulativeHazard(FEMALE, 1885, 0.25)).toBeCloseTo(0.04154108, 8);
    expect(survival.survival(FEMALE, 1885, 2)).toBeCloseTo((1 - 0.119694) * (1 - 0.036172), 12);
  });

  it('uses the last year of the tables for years after it', () => {
    const risingUntil2095 = lifeTables((_sex, year) => (year === 2095 ? 0.5 : 0.01));
    const late = new CohortSurvival(risingUntil2095, 2000, 2023);
    expect(late.survival(MALE, 2023, 74) / late.survival(MALE, 2023, 73)).toBeCloseTo(0.5, 12);
    expect(late.survival(MALE, 2023, 72) / late.survival(MALE, 2023, 71)).toBeCloseTo(0.99, 12);
  });
});

describe('survival at its edges', () => {
  it('is 1 at birth and 0 beyond the exact age of 120', () => {
    const ever = new CohortSurvival(immortal, 1880, 2023);
    expect([0, 1, 119.99, 120].map((age) => ever.survival(MALE, 1900, age))).toEqual([1, 1, 1, 1]);
    expect(ever.survival(MALE, 1900, 120.0001)).toBe(0);
    expect([OLDEST_DAY, OLDEST_DAY + 1].map((day) => ever.survivalToDay(MALE, 1900, day))).toEqual([1, 0]);
  });

  it('falls through the age of 119, without a jump at the exact age of 120', () => {
    const dying = new CohortSurvival(mortal, 1880, 2023);
    for (const sex of SEXES) {
      const [at119, before, at120] = [119, 119.999999, 120].map((age) => dying.survival(sex, 1900, age));
      expect(at120).toBeLessThan(at119);
      expect(at120 / before).toBeCloseTo(1, 4);
    }
  });

  it('stays positive if q = 1 in the table, because the hazard is finite', () => {
    expect(yearlyHazard(1)).toBeGreaterThan(20);
    const deadly = new CohortSurvival(
      lifeTables((_sex, _year, age) => (age === 100 ? 1 : 0.1)),
      1900,
      1900,
    );
    expect(deadly.survival(MALE, 1900, 101)).toBeLessThan(1e-15);
    expect(deadly.survival(MALE, 1900, 101)).toBeGreaterThan(0);
  });

  it('throws for ages below 0 and for birth years outside the tables', () => {
    expect(() => survival.survival(MALE, 1947, -0.1)).toThrow(RangeError);
    for (const sex of SEXES)
      for (const year of [1879, 2024])
        expect(() => survival.survival(sex, year, 1)).toThrow(
          new RangeError(`no survival for birth year ${year} at the age of 1`),
        );
    expect(() => survival.survival(MALE, 1947, NaN)).toThrow(RangeError);
  });

  it('never rises with age, for any life table', () => {
    const rates = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 120, maxLength: 120 });
    const age = fc.double({ min: 0, max: 121, noNaN: true });
    fc.assert(
      fc.property(rates, age, age, (q, a, b) => {
        const cohort = new CohortSurvival(
          lifeTables((_sex, _year, x) => q[x], 1990, 1991),
          1990,
          1990,
        );
        const younger = cohort.survival(FEMALE, 1990, Math.min(a, b));
        const older = cohort.survival(FEMALE, 1990, Math.max(a, b));
        expect(older).toBeLessThanOrEqual(younger * (1 + 1e-9));
        expect(older).toBeGreaterThanOrEqual(0);
        expect(younger).toBeLessThanOrEqual(1);
      }),
    );
  });
});
