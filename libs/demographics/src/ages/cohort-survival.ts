import { MALE, SEXES, type Sex } from './birth-table';

/** Ages of a period life table: q(x) for x = 0..119. */
export const TABLE_AGES = 120;

/** Probability of dying between exact ages x and x + 1, by sex, calendar year and age. */
export interface LifeTables {
  /** calendar years, both included; other years use the first or the last one */
  readonly firstYear: number;
  readonly lastYear: number;
  /** q[(sex * years + (year - firstYear)) * 120 + x], 0 to 1 */
  readonly q: Float64Array;
}

/** Upper limit of q: for q = 1 (no survivors of the year) the hazard would be infinite. */
const MAX_Q = 1 - 1e-12;

/**
 * q(x) of the cohort born in `birthYear`, from the diagonal of the period tables: year birthYear + x at age x,
 * clamped to the years of the tables. No interpolation between years.
 */
function cohortQ(life: LifeTables, sex: Sex, birthYear: number, age: number): number {
  const year = Math.min(Math.max(birthYear + age, life.firstYear), life.lastYear);
  const years = life.lastYear - life.firstYear + 1;
  return life.q[(sex * years + (year - life.firstYear)) * TABLE_AGES + age];
}

/** Cumulative hazard of one year of age: -ln(1 - q). Finite for every q from 0 to 1. */
export const yearlyHazard = (q: number): number => -Math.log1p(-Math.min(q, MAX_Q));

/** Mean length of the Gregorian year; an exact age in years is the age in days divided by it. */
export const DAYS_PER_YEAR = 365.2425;
/** Oldest age in whole days at which a person may still be alive: the exact age of 120 years. */
export const OLDEST_DAY = Math.floor(TABLE_AGES * DAYS_PER_YEAR);
/** Coefficients per year of age: the cumulative hazard is c0 + c1 u + c2 u^2 + c3 u^3, u = exact age - x, 0 to 1. */
const TERMS = 4;
const COHORT_TERMS = TABLE_AGES * TERMS;

/**
 * Slopes of the monotone cubic (PCHIP, Fritsch-Carlson on a unit grid) through points whose differences are `steps`.
 * Inner points: harmonic mean of the adjacent steps. End points: (3 d0 - d1) / 2, or 0 if that is negative.
 * @param steps - differences of adjacent points, 0 or more
 * @returns one slope per point, steps.length + 1
 * Source: Fritsch and Carlson, SIAM J. Numer. Anal. 17 (1980). Worked by hand in cohort-survival.spec.ts.
 */
export function pchipSlopes(steps: Float64Array): Float64Array {
  const last = steps.length;
  const slopes = new Float64Array(last + 1);
  slopes[0] = endSlope(steps[0], steps[1]);
  for (let i = 1; i < last; i++) {
    const sum = steps[i - 1] + steps[i];
    slopes[i] = sum > 0 ? (2 * steps[i - 1] * steps[i]) / sum : 0;
  }
  slopes[last] = endSlope(steps[last - 1], steps[last - 2]);
  return slopes;
}

const endSlope = (outer: number, inner: number): number => Math.max(0, (3 * outer - inner) / 2);

/**
 * Survival of every birth cohort by sex: exp(-H(t)). H is the cumulative hazard on the cohort's diagonal of the period
 * tables, interpolated within each year of age by a monotone cubic, so that the death rate is continuous.
 */
export class CohortSurvival {
  readonly cohorts: number;
  /** coefficients of (sex, birth year, age x): TERMS numbers from offset(sex, birth year) + x * TERMS on */
  private readonly cubics: Float64Array;

  constructor(
    life: LifeTables,
    readonly firstYear: number,
    readonly lastYear: number,
  ) {
    this.cohorts = lastYear - firstYear + 1;
    this.cubics = new Float64Array(SEXES.length * this.cohorts * COHORT_TERMS);
    for (const sex of SEXES)
      for (let year = firstYear; year <= lastYear; year++) this.interpolate(life, sex, year, this.offset(sex, year));
  }

  /**
   * H(t), the cumulative hazard from birth to the exact age t.
   * @param ageYears - exact age t, 0 to 120
   */
  cumulativeHazard(sex: Sex, birthYear: number, ageYears: number): number {
    const x = Math.min(Math.floor(ageYears), TABLE_AGES - 1);
    return this.hazardWithin(this.offset(sex, birthYear) + x * TERMS, ageYears - x);
  }

  /**
   * Share of a birth cohort alive at an exact age.
   * @returns 0 to 1; 1 at birth, never rising, 0 beyond the exact age of 120
   * @throws RangeError for an age below 0 or a birth year outside the tables
   * Source: formulas of the period life tables, SSA Actuarial Study 120. Worked by hand in cohort-survival.spec.ts.
   */
  survival(sex: Sex, birthYear: number, ageYears: number): number {
    if (!(ageYears >= 0) || birthYear < this.firstYear || birthYear > this.lastYear)
      throw new RangeError(`no survival for birth year ${birthYear} at the age of ${ageYears}`);
    return ageYears > TABLE_AGES ? 0 : Math.exp(-this.cumulativeHazard(sex, birthYear, ageYears));
  }

  /** Same as `survival`, for an age in days and without checks; used by sums over days of birth. */
  survivalToDay(sex: Sex, birthYear: number, ageDays: number): number {
    return ageDays > OLDEST_DAY ? 0 : Math.exp(-this.cumulativeHazard(sex, birthYear, ageDays / DAYS_PER_YEAR));
  }

  /** Index of the first coefficient of a cohort. */
  offset(sex: Sex, birthYear: number): number {
    return ((sex === MALE ? 0 : this.cohorts) + birthYear - this.firstYear) * COHORT_TERMS;
  }

  /** H at age x + u; `cubic` is the index of the first coefficient of age x. */
  hazardWithin(cubic: number, u: number): number {
    const c = this.cubics;
    return c[cubic] + u * (c[cubic + 1] + u * (c[cubic + 2] + u * c[cubic + 3]));
  }

  /** dH/dt at age x + u: the death rate per year. */
  rateWithin(cubic: number, u: number): number {
    const c = this.cubics;
    return c[cubic + 1] + u * (2 * c[cubic + 2] + u * 3 * c[cubic + 3]);
  }

  /** Index of the first coefficient of a cohort for age x. */
  cubicAt(cohortOffset: number, x: number): number {
    return cohortOffset + x * TERMS;
  }

  private interpolate(life: LifeTables, sex: Sex, birthYear: number, offset: number): void {
    const steps = new Float64Array(TABLE_AGES);
    for (let x = 0; x < TABLE_AGES; x++) steps[x] = yearlyHazard(cohortQ(life, sex, birthYear, x));
    const slopes = pchipSlopes(steps);
    let hazard = 0;
    for (let x = 0; x < TABLE_AGES; x++) {
      const at = offset + x * TERMS;
      this.cubics[at] = hazard;
      this.cubics[at + 1] = slopes[x];
      this.cubics[at + 2] = 3 * steps[x] - 2 * slopes[x] - slopes[x + 1];
      this.cubics[at + 3] = slopes[x] + slopes[x + 1] - 2 * steps[x];
      hazard += steps[x];
    }
  }
}
