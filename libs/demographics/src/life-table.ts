import type { Sex } from './sex';

/** Ages of a period life table: q(x) for x = 0..119. */
export const TABLE_AGES = 120;

/** Probability of dying between exact ages x and x + 1, by sex, calendar year and age. */
export interface LifeTables {
  /** calendar years, both included; years outside use the first or the last */
  readonly firstYear: number;
  readonly lastYear: number;
  /** q[(sex * years + (year - firstYear)) * 120 + x], 0 to 1 */
  readonly q: Float64Array;
}

/** Where a table says that nobody survives the year (q = 1), the hazard would be infinite: this is the largest q that is used. */
const LARGEST_Q = 1 - 1e-12;

/**
 * q(x) of the cohort born in `birthYear`: the diagonal of the period tables, year birthYear + x at age x,
 * clamped to the years of the tables. No interpolation between years.
 */
export function cohortQ(life: LifeTables, sex: Sex, birthYear: number, age: number): number {
  const year = Math.min(Math.max(birthYear + age, life.firstYear), life.lastYear);
  const years = life.lastYear - life.firstYear + 1;
  return life.q[(sex * years + (year - life.firstYear)) * TABLE_AGES + age];
}

/** Hazard cumulated over the year of age x: -ln(1 - q). Finite for every q of 0 to 1. */
export const yearlyHazard = (q: number): number => -Math.log1p(-Math.min(q, LARGEST_Q));
