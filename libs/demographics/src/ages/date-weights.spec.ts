import { civilDay, daysInYear, isLeapYear } from '@donorlens/primitives';
import fc from 'fast-check';
import { CohortSurvival } from './cohort-survival';
import { fillCohortWeights, WEIGHTS_PER_COHORT } from './date-weights';
import { immortal, lifeTables, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { FEMALE, MALE, type Sex } from './birth-table';
import { YearWeights } from './year-weights';

const [FIRST, LAST] = [1880, 2023];

function weightsOf(survival: CohortSurvival, sex: Sex, birthYear: number, on: number): [number, number] {
  const weights = new Float64Array(WEIGHTS_PER_COHORT * 2 * survival.cohorts);
  fillCohortWeights(survival, sex, birthYear, on, weights);
  const at = WEIGHTS_PER_COHORT * (sex * survival.cohorts + birthYear - FIRST);
  return [weights[at], weights[at + 1]];
}

/** Reference implementation: sums over single days of birth. */
function bySingleDays(survival: CohortSurvival, sex: Sex, birthYear: number, year: number, month: number, day: number) {
  const on = civilDay(year, month, day);
  const sums = [0, 0];
  for (let m = 1; m <= 12; m++)
    for (let d = 1; d <= [31, isLeapYear(birthYear) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]; d++) {
      const born = civilDay(birthYear, m, d);
      if (born > on) continue;
      const completed = m < month || (m === month && d <= day);
      sums[completed ? 0 : 1] += survival.survival(sex, birthYear, (on - born) / 365.2425) / daysInYear(birthYear);
    }
  return sums;
}

describe('living shares of a cohort on a date, without deaths', () => {
  const ever = new CohortSurvival(immortal, FIRST, LAST);
  const daysPassed = (birthYear: number, on: number) =>
    weightsOf(ever, MALE, birthYear, on).map((share) => Math.round(share * daysInYear(birthYear) * 1e6) / 1e6);

  it('are split by whether the birthday of the year has passed', () => {
    expect(daysPassed(1999, civilDay(2017, 1, 1))).toEqual([1, 364]);
    expect(daysPassed(1999, civilDay(2017, 7, 1))).toEqual([182, 183]);
    expect(daysPassed(1999, civilDay(2017, 12, 31))).toEqual([365, 0]);
  });

  it('count a birthday on February 29 from March 1 in common years', () => {
    expect(daysPassed(2000, civilDay(2023, 2, 28))).toEqual([59, 307]);
    expect(daysPassed(2000, civilDay(2023, 3, 1))).toEqual([61, 305]);
    expect(daysPassed(2000, civilDay(2020, 2, 29))).toEqual([60, 306]);
    expect(daysPassed(1999, civilDay(2020, 2, 29))).toEqual([59, 306]);
    expect(daysPassed(1999, civilDay(2020, 3, 1))).toEqual([60, 305]);
  });

  it('count births in the year of the date only up to the date', () => {
    expect(daysPassed(2000, civilDay(2000, 1, 1))).toEqual([1, 0]);
    expect(daysPassed(2000, civilDay(2000, 12, 31))).toEqual([366, 0]);
    expect(daysPassed(2000, civilDay(1999, 12, 31))).toEqual([0, 0]);
  });

  it('overwrite earlier values, also if the cohort is not born yet', () => {
    const of = (birthYear: number, on: number): number[] => {
      const weights = new Float64Array(WEIGHTS_PER_COHORT * 2 * ever.cohorts).fill(NaN);
      fillCohortWeights(ever, FEMALE, birthYear, on, weights);
      return [...weights].filter((weight) => !Number.isNaN(weight)).map((weight) => Math.round(weight * 1e9) / 1e9);
    };
    expect(of(2000, civilDay(2000, 12, 31))).toEqual([1, 0]);
    expect(of(2001, civilDay(2000, 12, 31))).toEqual([0, 0]);
  });

  it('are 0 beyond the exact age of 120 years (43,829 days)', () => {
    expect(daysPassed(1900, civilDay(1900, 1, 1) + 43_829)).toEqual([1, 364]); // January 1, 2020
    expect(daysPassed(1900, civilDay(1900, 1, 1) + 43_830)).toEqual([1, 363]); // age of January 1: 43,830 days
    expect(daysPassed(1900, civilDay(2022, 1, 1))).toEqual([0, 0]);
  });
});

describe('living shares with deaths', () => {
  const birthYear = fc.integer({ min: FIRST, max: LAST });
  const sex = fc.constantFrom<Sex>(MALE, FEMALE);
  const date = fc.record({
    ahead: fc.integer({ min: 0, max: 121 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
  });
  const jagged = lifeTables((s, year, age) => ((year * 7 + age * 13 + s * 5) % 11) / 12);

  it.each([
    ['smooth tables', mortal],
    ['jagged tables', jagged],
  ])('equal the sum over all days of birth to 1e-9: %s', (_name, life) => {
    const survival = new CohortSurvival(life, FIRST, LAST);
    fc.assert(
      fc.property(sex, birthYear, date, (s, b, { ahead, month, day }) => {
        const byDays = bySingleDays(survival, s, b, b + ahead, month, day);
        weightsOf(survival, s, b, civilDay(b + ahead, month, day)).forEach((share, i) =>
          expect(Math.abs(share - byDays[i])).toBeLessThan(1e-9),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('equal those of YearWeights, with a relative error of at most 1e-10', () => {
    const survival = new CohortSurvival(mortal, FIRST, LAST);
    const weights = new YearWeights(survival);
    const off = (found: number, exact: number): number => Math.abs(found - exact) / (1e-10 * exact + 1e-30);
    for (const year of [1880, 1960, 2000, 2024, 2035]) {
      const [first, last] = [civilDay(year, 1, 1), civilDay(year, 12, 31)];
      weights.fill(first, last);
      let worst = 0;
      for (const on of [0, 61, 122, 183, 244, 305].map((days) => first + days).concat(last))
        for (let at = 0; at < weights.perDay; at++) {
          const s = at < weights.cohorts ? MALE : FEMALE;
          const [passed, toCome] = weightsOf(survival, s, FIRST + at - s * weights.cohorts, on);
          const day = (on - first) * weights.perDay;
          worst = Math.max(
            worst,
            off(weights.living[day + at], passed + toCome),
            off(weights.toCome[day + at], toCome),
          );
        }
      expect(worst).toBeLessThan(1);
    }
  });
});
