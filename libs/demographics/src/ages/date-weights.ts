import { type CivilDay, civilDay, daysInYear, isLeapYear, yearOf } from '@donorlens/primitives';
import { type BirthTable, FEMALE, MALE, SEXES, type Sex } from './birth-table';
import { type CohortSurvival, DAYS_PER_YEAR, OLDEST_DAY, TABLE_AGES } from './cohort-survival';

/** Shorter ranges of days are summed day by day, which is faster than a quadrature, and exact. */
const SHORT_RANGE_DAYS = 12;
/** Eight-point Gauss-Legendre rule on -1..1 (positive half only), exact for polynomials up to degree 15. */
const GAUSS_POINTS = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const GAUSS_WEIGHTS = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];

/** A calendar year and the share of its birthdays that have passed, 0 to 1. */
export interface DateStep {
  readonly year: number;
  readonly passed: number;
}

/** Converts a date to its year and the share of birthdays that have passed. */
export function dateStep(on: CivilDay): DateStep {
  const year = yearOf(on);
  return { year, passed: (on - civilDay(year, 1, 1) + 1) / daysInYear(year) };
}

/** Numbers per cohort: living share with the birthday of the date's year passed, living share with it to come. */
export const WEIGHTS_PER_COHORT = 2;

/**
 * Computes the living shares of one cohort on a date, with births spread evenly over the days of the birth year. Writes
 * two numbers, 0 to 1, at 2 * (sex * cohorts + birthYear - firstYear) of `weights`. The first is the share that has
 * completed the age year(on) - birthYear, the second the share that is one year younger, before its birthday.
 * Births after `on` are not counted. A birthday on February 29 falls on March 1 in common years.
 * Equal to the sum over all days of birth to 1e-9 (date-weights.spec.ts): a midpoint Euler-Maclaurin formula over
 * Gauss-Legendre integrals within each whole year of exact age, where the hazard is a single cubic.
 */
export function fillCohortWeights(
  survival: CohortSurvival,
  sex: Sex,
  birthYear: number,
  on: CivilDay,
  weights: Float64Array,
): void {
  const year = yearOf(on);
  const at = WEIGHTS_PER_COHORT * (sex * survival.cohorts + birthYear - survival.firstYear);
  weights[at] = 0;
  weights[at + 1] = 0;
  if (birthYear > year) return;
  const days = daysInYear(birthYear);
  const passed = birthdaysPassed(birthYear, year, on - civilDay(year, 1, 1));
  const oldest = on - civilDay(birthYear, 1, 1);
  weights[at] = livingDays(survival, sex, birthYear, oldest - passed + 1, oldest) / days;
  if (birthYear === year) return;
  weights[at + 1] = livingDays(survival, sex, birthYear, oldest - days + 1, oldest - passed) / days;
}

/** Number of days of the birth year whose (month, day) is not after day `day` (0 = January 1) of `year`. */
export function birthdaysPassed(birthYear: number, year: number, day: number): number {
  const leapDay = 59; // February 29, counted from 0
  if (day < leapDay) return day + 1;
  if (isLeapYear(year) === isLeapYear(birthYear)) return day + 1;
  return isLeapYear(birthYear) ? day + 2 : day;
}

/** Sum of the survival to each age in days from `youngest` to `oldest`, both included. */
function livingDays(survival: CohortSurvival, sex: Sex, birthYear: number, youngest: number, oldest: number): number {
  const cohort = survival.offset(sex, birthYear);
  const last = Math.min(oldest, OLDEST_DAY);
  let sum = 0;
  for (let from = youngest; from <= last;) {
    const age = Math.min(Math.floor(from / DAYS_PER_YEAR), TABLE_AGES - 1);
    const to = Math.min(last, Math.floor((age + 1) * DAYS_PER_YEAR));
    sum += sumWithinYearOfAge(survival, survival.cubicAt(cohort, age), age, from, to);
    from = to + 1;
  }
  return sum;
}

/** Same sum as `livingDays`, within one year of exact age. */
function sumWithinYearOfAge(survival: CohortSurvival, cubic: number, age: number, from: number, to: number): number {
  if (to - from < SHORT_RANGE_DAYS) {
    let sum = 0;
    for (let day = from; day <= to; day++) sum += Math.exp(-survival.hazardWithin(cubic, day / DAYS_PER_YEAR - age));
    return sum;
  }
  const low = (from - 0.5) / DAYS_PER_YEAR - age;
  const high = (to + 0.5) / DAYS_PER_YEAR - age;
  const middle = (low + high) / 2;
  const half = (high - low) / 2;
  let integral = 0;
  for (let i = 0; i < GAUSS_POINTS.length; i++) {
    const step = half * GAUSS_POINTS[i];
    integral +=
      GAUSS_WEIGHTS[i] *
      (Math.exp(-survival.hazardWithin(cubic, middle - step)) + Math.exp(-survival.hazardWithin(cubic, middle + step)));
  }
  const deathsPerDayHigh = survival.rateWithin(cubic, high) * Math.exp(-survival.hazardWithin(cubic, high));
  const deathsPerDayLow = survival.rateWithin(cubic, low) * Math.exp(-survival.hazardWithin(cubic, low));
  return integral * half * DAYS_PER_YEAR + (deathsPerDayHigh - deathsPerDayLow) / (24 * DAYS_PER_YEAR);
}

/** 4,096 dates (eleven years of days) of 4.6 kB each, at most 19 MB. */
const DEFAULT_DATES = 4096;

/**
 * Cache of the cohort weights of recently used dates. A cohort is computed when a name first needs it (about 0.4 us).
 * A hit allocates nothing. Eviction uses the second-chance algorithm, which approximates LRU without a list.
 */
export class DateWeightCache {
  private readonly slotOf = new Map<CivilDay, number>();
  private readonly days: CivilDay[] = [];
  private readonly weights: Float64Array[] = [];
  private readonly usedAgain: Uint8Array;
  private hand = 0;
  private latestDay: CivilDay = NaN;
  private latest: Float64Array;

  constructor(
    private readonly births: BirthTable,
    private readonly survival: CohortSurvival,
    private readonly capacity = DEFAULT_DATES,
  ) {
    this.usedAgain = new Uint8Array(capacity);
  }

  /**
   * Weights on a date, in the layout of fillCohortWeights; only the cohorts of the name are guaranteed to be filled.
   * The caller must read them before the next call, because the array can be reused for another date.
   */
  weightsAt(on: CivilDay, name: number): Float64Array {
    const weights = this.weightsOf(on);
    this.complete(on, name, MALE, weights);
    this.complete(on, name, FEMALE, weights);
    return weights;
  }

  private complete(on: CivilDay, name: number, sex: Sex, weights: Float64Array): void {
    const { rowStart, yearOffset, firstYear } = this.births;
    const base = sex * this.survival.cohorts;
    for (let cell = rowStart[2 * name + sex]; cell < rowStart[2 * name + sex + 1]; cell++)
      if (Number.isNaN(weights[WEIGHTS_PER_COHORT * (base + yearOffset[cell])]))
        fillCohortWeights(this.survival, sex, firstYear + yearOffset[cell], on, weights);
  }

  private weightsOf(on: CivilDay): Float64Array {
    if (on === this.latestDay) return this.latest;
    const slot = this.slotOf.get(on);
    if (slot !== undefined) this.usedAgain[slot] = 1;
    this.latest = this.weights[slot ?? this.insertDate(on)];
    this.latestDay = on;
    return this.latest;
  }

  private insertDate(on: CivilDay): number {
    const slot = this.freeSlot();
    this.weights[slot].fill(NaN);
    this.days[slot] = on;
    this.slotOf.set(on, slot);
    return slot;
  }

  private freeSlot(): number {
    if (this.weights.length < this.capacity)
      return this.weights.push(new Float64Array(WEIGHTS_PER_COHORT * SEXES.length * this.survival.cohorts)) - 1;
    while (this.usedAgain[this.hand] === 1) {
      this.usedAgain[this.hand] = 0;
      this.hand = (this.hand + 1) % this.capacity;
    }
    const slot = this.hand;
    this.hand = (this.hand + 1) % this.capacity;
    this.slotOf.delete(this.days[slot]);
    return slot;
  }
}
