import { type BirthTable, SEXES, type Sex, birthYears } from './birth-table';
import { WEIGHTS_PER_COHORT } from './date-weights';

/** A sum that should meet its border exactly must not miss it by rounding. */
export const BORDER = 1 - 1e-9;
/** Returned instead of an age if no one is counted. */
export const NO_AGE = -1;
/** Returned instead of an age that rounded weights do not decide. */
export const UNDECIDED = -3;
/**
 * A sum of weights in 32 bits is off by at most 1e-7 of all people, unless they are so few that weights have lost
 * digits.
 */
const CLEARANCE = 1e-6;
const MIN_ROUNDED_PEOPLE = 1e-20;

export const orNull = (age: number): number | null => (age === NO_AGE ? null : age);

/**
 * People of one name living at one date, by completed age, the sexes together: births of each cohort times its living
 * share. One buffer, filled again for each question: nothing is allocated.
 */
export class LivingAges {
  /** people by completed age, the oldest first; which age a slot means depends on the year, see ageOf */
  private readonly people: Float64Array;
  private readonly cohorts: number;
  private year = 0;
  /** the slot of the youngest who count */
  private top = 0;

  constructor(private readonly births: BirthTable) {
    this.cohorts = birthYears(births);
    this.people = new Float64Array(this.cohorts + 1);
  }

  /** Counts the people of the name at the date of the given year and weights: both sexes, or one. */
  count(name: number, year: number, weights: Float64Array | Float32Array, only?: Sex): void {
    this.people.fill(0);
    this.year = year;
    for (let sex = 0; sex < SEXES.length; sex++) if (only === undefined || only === sex) this.add(name, sex, weights);
    this.top = this.cohorts;
  }

  /** Cohorts follow each other: what one adds to the slot of the next is carried there, which is faster than memory. */
  private add(name: number, sex: number, weights: Float64Array | Float32Array): void {
    const { rowStart, yearOffset, count } = this.births;
    const { people } = this;
    const end = rowStart[2 * name + sex + 1];
    let slot = -1;
    let carried = 0;
    for (let cell = rowStart[2 * name + sex]; cell < end; cell++) {
      const cohort = yearOffset[cell];
      const at = WEIGHTS_PER_COHORT * (sex * this.cohorts + cohort);
      if (cohort !== slot) {
        if (slot >= 0) people[slot] = carried;
        carried = people[cohort];
      }
      people[cohort] = carried + count[cell] * weights[at];
      slot = cohort + 1;
      carried = people[slot] + count[cell] * weights[at + 1];
    }
    if (slot >= 0) people[slot] = carried;
  }

  /** Excludes people below an age. */
  dropBelow(minAge: number): void {
    this.top = Math.min(this.cohorts, this.slotOf(minAge));
  }

  total(): number {
    let sum = 0;
    for (let slot = this.top; slot >= 0; slot--) sum += this.people[slot];
    return sum;
  }

  /**
   * Smallest completed age that at least the share p of all counted people have not exceeded.
   * @returns NO_AGE when no one is counted
   */
  quantile(p: number): number {
    const border = p * this.total() * BORDER;
    if (!(border > 0)) return NO_AGE;
    let sum = 0;
    for (let slot = this.top; slot >= 0; slot--) {
      sum += this.people[slot];
      if (sum >= border) return this.ageOf(slot);
    }
    return NO_AGE;
  }

  /** `quantile(0.5)` after `count` with weights in 32 bits; UNDECIDED if their rounding could change it. */
  roundedMedian(): number {
    const total = this.total();
    if (!(total > MIN_ROUNDED_PEOPLE)) return UNDECIDED;
    const border = 0.5 * total * BORDER;
    const clearance = CLEARANCE * total;
    let sum = 0;
    for (let slot = this.top; slot >= 0; slot--) {
      sum += this.people[slot];
      if (sum >= border - clearance) return sum >= border + clearance ? this.ageOf(slot) : UNDECIDED;
    }
    return UNDECIDED;
  }

  /**
   * Those born in cohort c who had their birthday and those of cohort c - 1 who did not have the same completed age.
   */
  private ageOf(slot: number): number {
    return this.year - this.births.firstYear - slot;
  }

  private slotOf(age: number): number {
    return this.year - this.births.firstYear - age;
  }
}
