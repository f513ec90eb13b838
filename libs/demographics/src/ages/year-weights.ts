import { type CivilDay, civilDay, daysInYear, yearOf } from '@donorlens/primitives';
import type { CohortSurvival } from './cohort-survival';
import { WEIGHTS_PER_COHORT, birthdaysPassed } from './date-weights';
import { type Sex, SEXES } from './birth-table';

const DAYS = 366;
/** Each year takes 0.8 MB. */
const MAX_YEARS = 16;
/** Computing the weights of a year takes as long as computing those of 25 single dates for a frequent name. */
const MIN_USES_OF_YEAR = 25;

/**
 * Living shares of every (sex, birth year) on consecutive days of one calendar year. fillCohortWeights gives them
 * for one date; this class uses running sums over the days of birth. Values of one day are contiguous, by cohort.
 * The share of a cohort born in an earlier year never rises from day to day, because survival never rises.
 * The share of the year's own cohort never falls, because each day adds the survival to one more age.
 */
export class YearWeights {
  readonly cohorts: number;
  /** entries per day in each of the two arrays, at sex * cohorts + cohort */
  readonly perDay: number;
  /** share of the births of the cohort that is living */
  readonly living: Float64Array;
  /** share of the births of the cohort that is living and whose birthday in this year is still to come */
  readonly toCome: Float64Array;
  firstDay: CivilDay = 0;
  lastDay: CivilDay = -1;
  /** running sum of the survival over ages in days, for the cohort that `fillCohort` processes */
  private readonly lived = new Float64Array(2 * DAYS + 1);

  constructor(private readonly survival: CohortSurvival) {
    this.cohorts = survival.cohorts;
    this.perDay = SEXES.length * this.cohorts;
    this.living = new Float64Array(DAYS * this.perDay);
    this.toCome = new Float64Array(DAYS * this.perDay);
  }

  /** @param lastDay - in the same calendar year as firstDay, not before it */
  fill(firstDay: CivilDay, lastDay: CivilDay): void {
    this.firstDay = firstDay;
    this.lastDay = lastDay;
    this.living.fill(0);
    this.toCome.fill(0);
    const lastCohort = Math.min(this.survival.lastYear, yearOf(firstDay));
    for (const sex of SEXES)
      for (let birthYear = this.survival.firstYear; birthYear <= lastCohort; birthYear++)
        this.fillCohort(sex, birthYear, yearOf(firstDay));
  }

  /** Weights of each day as 32-bit floats, in the layout of fillCohortWeights. */
  rounded(): readonly Float32Array[] {
    const { living, toCome, perDay } = this;
    const perDayWeights = WEIGHTS_PER_COHORT * perDay;
    const all = new Float32Array((this.lastDay - this.firstDay + 1) * perDayWeights);
    for (let i = 0; WEIGHTS_PER_COHORT * i < all.length; i++) {
      all[WEIGHTS_PER_COHORT * i] = living[i] - toCome[i];
      all[WEIGHTS_PER_COHORT * i + 1] = toCome[i];
    }
    return Array.from({ length: all.length / perDayWeights }, (_, day) =>
      all.subarray(day * perDayWeights, (day + 1) * perDayWeights),
    );
  }

  private fillCohort(sex: Sex, birthYear: number, year: number): void {
    const days = daysInYear(birthYear);
    const first = civilDay(birthYear, 1, 1);
    const newYear = civilDay(year, 1, 1);
    const youngest = Math.max(0, this.firstDay - first - days + 1);
    this.sumLived(sex, birthYear, youngest, this.lastDay - first);
    for (let on = this.firstDay; on <= this.lastDay; on++) {
      const oldest = on - first - youngest;
      const notBorn = Math.max(0, days - 1 - (on - first)); // births after the date
      const passed = birthdaysPassed(birthYear, year, on - newYear);
      const at = (on - this.firstDay) * this.perDay + sex * this.cohorts + birthYear - this.survival.firstYear;
      const lowest = oldest + 1 - (days - notBorn);
      this.living[at] = (this.lived[oldest + 1] - this.lived[lowest]) / days;
      if (birthYear < year) this.toCome[at] = (this.lived[oldest + 1 - passed] - this.lived[lowest]) / days;
    }
  }

  /** Sets lived[i] to the sum of the survival to the ages of youngest, ..., youngest + i - 1 days. */
  private sumLived(sex: Sex, birthYear: number, youngest: number, oldest: number): void {
    let sum = 0;
    for (let age = youngest; age <= oldest; age++) {
      sum += this.survival.survivalToDay(sex, birthYear, age);
      this.lived[age - youngest + 1] = sum;
    }
  }
}

/** FIFO cache of the daily weights of frequently used years. Per date, computing a year takes a tenth of the time. */
export class YearWeightCache {
  private readonly years = new Map<number, readonly Float32Array[]>();
  private readonly uses = new Map<number, number>();

  constructor(private readonly survival: CohortSurvival) {}

  /** Weights of a date from `YearWeights.rounded`; null for the first 24 uses of its year. */
  find(on: CivilDay): Float32Array | null {
    const year = yearOf(on);
    const days = this.years.get(year) ?? this.daysOf(year);
    return days && days[on - civilDay(year, 1, 1)];
  }

  private daysOf(year: number): readonly Float32Array[] | null {
    const uses = (this.uses.get(year) ?? 0) + 1;
    this.uses.set(year, uses % MIN_USES_OF_YEAR);
    if (uses < MIN_USES_OF_YEAR) return null;
    const weights = new YearWeights(this.survival);
    weights.fill(civilDay(year, 1, 1), civilDay(year, 12, 31));
    const days = weights.rounded();
    if (this.years.size === MAX_YEARS) this.years.delete([...this.years.keys()][0]);
    this.years.set(year, days);
    return days;
  }
}
