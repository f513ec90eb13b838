import { type BirthTable, SEXES, type Sex, birthYears } from './birth-table';
import { WEIGHTS_PER_COHORT } from './date-weights';

/** Factor that lowers a quantile border, so that rounding errors do not make an exactly equal sum fall below it. */
export const BORDER = 1 - 1e-9;
/** Returned instead of an age if no people are counted. */
export const NO_AGE = -1;
/** Returned instead of an age if the rounded weights are too imprecise to determine it. */
export const UNDECIDED = -3;
/** A sum of 32-bit weights is off by at most 1e-7 of the total, unless it is so small that weights lose digits. */
const CLEARANCE = 1e-6;
const MIN_ROUNDED_PEOPLE = 1e-20;

export const ageOrNull = (age: number): number | null => (age === NO_AGE ? null : age);

/**
 * Living people of one name on one date, by completed age, for both sexes or one: births of each cohort times its
 * living share. Each count overwrites the same buffer, so a query allocates nothing.
 */
export class LivingAges {
  /** people by completed age, oldest first; the age of a slot depends on the year, see ageOf */
  private readonly people: Float64Array;
  private readonly cohorts: number;
  private year = 0;
  /** slot of the youngest age that is counted */
  private top = 0;

  constructor(private readonly births: BirthTable) {
    this.cohorts = birthYears(births);
    this.people = new Float64Array(this.cohorts + 1);
  }

  /** Counts the people of a name on a date, given by its year and weights: both sexes, or only the sex `only`. */
  count(name: number, year: number, weights: Float64Array | Float32Array, only?: Sex): void {
    this.people.fill(0);
    this.year = year;
    for (let sex = 0; sex < SEXES.length; sex++) if (only === undefined || only === sex) this.add(name, sex, weights);
    this.top = this.cohorts;
  }

  /** Consecutive cohorts share a slot: its sum is carried in a local variable, which is faster than array access. */
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
   * Smallest completed age that at least the share p of the counted people have not exceeded.
   * @returns NO_AGE if no people are counted
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

  /** `quantile(0.5)` after a `count` with 32-bit weights; UNDECIDED if their rounding could change the age. */
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

  /** A completed age combines cohort c after its birthday of the year and cohort c - 1 before its birthday. */
  private ageOf(slot: number): number {
    return this.year - this.births.firstYear - slot;
  }

  private slotOf(age: number): number {
    return this.year - this.births.firstYear - age;
  }
}
