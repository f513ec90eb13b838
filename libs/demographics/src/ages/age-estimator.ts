import { type CivilDay, yearOf } from '@donorlens/primitives';
import { ADULT_AGE, AdultAges } from './adult-ages';
import { type BirthTable, FEMALE, GendersByBirths, MALE, type Sex, birthYears, birthsOf } from './birth-table';
import { CohortSurvival, type LifeTables, TABLE_AGES } from './cohort-survival';
import { DateWeightCache, WEIGHTS_PER_COHORT } from './date-weights';
import { findFirstName } from '../names/first-name-key';
import { type Gender } from '../names/name-parts';
import { LivingAges, NO_AGE, UNDECIDED, orNull } from './living-ages';
import { NOT_COVERED, type StepTable, stepAge } from './step-table';
import { YearWeightCache } from './year-weights';

/** Births and survivors of one name in one year of birth. Births are whole numbers, survivors expected numbers. */
export interface CohortCount {
  readonly year: number;
  readonly bornM: number;
  readonly bornF: number;
  /** living at the date and of the minimum age or more */
  readonly livingM: number;
  readonly livingF: number;
}

/** Median and quartiles of ages in completed years; null if no one is counted. */
export interface Quartiles {
  readonly median: number | null;
  readonly q25: number | null;
  readonly q75: number | null;
}

/** Everything that is known of a name at a date. */
export interface AgeDistribution extends Quartiles {
  readonly gender: Gender | null;
  /** Share of all births with this gender, 0.5 to 1; null if gender is null. */
  readonly genderProbability: number | null;
  /** expected number of people living at the date, of the minimum age or more */
  readonly livingM: number;
  readonly livingF: number;
  /** Births over all years of the edition. */
  readonly bornM: number;
  readonly bornF: number;
  /** one entry per year of the edition, ascending */
  readonly cohorts: readonly CohortCount[];
}

/**
 * Age and gender from a first name and a date.
 * `nameIndex` converts a name to a number once; -1 is an unknown name, which has no results.
 * Nothing here allocates per query except `distribution`.
 */
export class AgeEstimator {
  private readonly living: LivingAges;
  private readonly genders: GendersByBirths;
  private readonly cohorts: number;
  private cohortSurvival: CohortSurvival | undefined;
  private dateWeights: DateWeightCache | undefined;
  private yearWeights: YearWeightCache | undefined;
  /** Made at the first question with that condition. */
  private adultAges: AdultAges | undefined;

  constructor(
    private readonly births: BirthTable,
    private readonly life: LifeTables,
    private readonly steps?: StepTable | null,
  ) {
    this.cohorts = birthYears(births);
    this.living = new LivingAges(births);
    this.genders = new GendersByBirths(births);
  }

  /** Survival of all birth years of the edition. Computed at the first use: most results come from the step table. */
  get survival(): CohortSurvival {
    return (this.cohortSurvival ??= new CohortSurvival(this.life, this.births.firstYear, this.births.lastYear));
  }

  private get weights(): DateWeightCache {
    return (this.dateWeights ??= new DateWeightCache(this.births, this.survival));
  }

  private get years(): YearWeightCache {
    return (this.yearWeights ??= new YearWeightCache(this.survival));
  }

  /**
   * Position of a first name as a person wrote it, -1 when it is not in the birth files. ASCII names allocate nothing.
   */
  nameIndex(rawName: string): number {
    return findFirstName(this.births.names, rawName);
  }

  /**
   * Median age in completed years of living people with the name at the date; -1 if there are none.
   * @param minAge - minimum age in completed years
   * Read from the step table if it covers the date, else computed by sums; both agree with `ageDirect`.
   */
  ageAt(name: number, on: CivilDay, minAge = 0): number {
    if (name < 0) return NO_AGE;
    if (minAge <= 0 && this.steps) {
      const age = stepAge(this.steps, name, on);
      if (age !== NOT_COVERED) return age;
    }
    if (minAge !== ADULT_AGE) return this.ageSummed(name, on, minAge);
    return (this.adultAges ??= this.newAdultAges()).ageAt(name, on);
  }

  /** Apart from `ageAt`: a function that makes a closure allocates in every call. */
  private newAdultAges(): AdultAges {
    return new AdultAges((name, on) => this.ageSummed(name, on, ADULT_AGE));
  }

  /** Equal to `ageDirect`. With a minimum age, uses the weights of the year if they are cached and decide the age. */
  private ageSummed(name: number, on: CivilDay, minAge: number): number {
    const weights = minAge > 0 && this.canHaveLivingPeople(on) ? this.years.find(on) : null;
    if (weights === null) return this.ageDirect(name, on, minAge);
    this.living.count(name, yearOf(on), weights);
    this.living.dropBelow(minAge);
    const age = this.living.roundedMedian();
    return age === UNDECIDED ? this.ageDirect(name, on, minAge) : age;
  }

  /** The same, always by summing the cohorts of the name with the weights of the date. */
  ageDirect(name: number, on: CivilDay, minAge = 0): number {
    if (name < 0 || !this.canHaveLivingPeople(on)) return NO_AGE;
    this.living.count(name, yearOf(on), this.weights.weightsAt(on, name));
    this.living.dropBelow(minAge);
    return this.living.quantile(0.5);
  }

  /**
   * The sex with more births over all years of the edition. If equal: the sex with more people living
   * at the date, of any age. Null if that is equal, too, or no one is alive.
   */
  genderOf(name: number, on: CivilDay): Gender | null {
    if (name < 0) return null;
    return this.genders.genderOf(name) ?? this.genderOfTheLiving(name, on);
  }

  /** Share of the births of a known name that have the gender, 0 to 1. */
  genderProbability(name: number, gender: Gender): number {
    const [males, females] = [birthsOf(this.births, name, MALE), birthsOf(this.births, name, FEMALE)];
    return (gender === 'm' ? males : females) / (males + females);
  }

  /** Everything about a known name at a date, for the detailed answer and the page. */
  distribution(name: number, on: CivilDay, minAge = 0): AgeDistribution {
    const bornM = birthsOf(this.births, name, MALE);
    const bornF = birthsOf(this.births, name, FEMALE);
    const gender = this.genderOf(name, on);
    const cohorts = this.cohortCounts(name, on, minAge);
    return {
      gender,
      genderProbability: gender === null ? null : this.genderProbability(name, gender),
      ...this.quartiles(name, on, minAge),
      livingM: cohorts.reduce((sum, cohort) => sum + cohort.livingM, 0),
      livingF: cohorts.reduce((sum, cohort) => sum + cohort.livingF, 0),
      bornM,
      bornF,
      cohorts,
    };
  }

  /** @param sex - counts only this sex; by default both */
  quartiles(name: number, on: CivilDay, minAge = 0, sex?: Sex): Quartiles {
    if (!this.canHaveLivingPeople(on)) return { median: null, q25: null, q75: null };
    this.living.count(name, yearOf(on), this.weights.weightsAt(on, name), sex);
    this.living.dropBelow(minAge);
    const [q25, median, q75] = [0.25, 0.5, 0.75].map((p) => orNull(this.living.quantile(p)));
    return { median, q25, q75 };
  }

  /**
   * Expected share of women among the people of a known name who are alive at the date, 0 to 1.
   * @param minAge - counts only people of that age or more, in completed years
   * @returns null if none is expected to be alive
   */
  femaleShareLiving(name: number, on: CivilDay, minAge = 0): number | null {
    const [females, all] = [this.livingPeople(name, on, minAge, FEMALE), this.livingPeople(name, on, minAge)];
    return all > 0 ? females / all : null;
  }

  private livingPeople(name: number, on: CivilDay, minAge: number, sex?: Sex): number {
    if (!this.canHaveLivingPeople(on)) return 0;
    this.living.count(name, yearOf(on), this.weights.weightsAt(on, name), sex);
    this.living.dropBelow(minAge);
    return this.living.total();
  }

  private cohortCounts(name: number, on: CivilDay, minAge: number): CohortCount[] {
    const male = this.countsOf(name, MALE, on, minAge);
    const female = this.countsOf(name, FEMALE, on, minAge);
    return male.born.map((bornM, cohort) => ({
      year: this.births.firstYear + cohort,
      bornM,
      bornF: female.born[cohort],
      livingM: male.living[cohort],
      livingF: female.living[cohort],
    }));
  }

  /** Births and survivors of the minimum age by year of birth, one sex. */
  private countsOf(name: number, sex: Sex, on: CivilDay, minAge: number): { born: number[]; living: number[] } {
    const { rowStart, yearOffset, count, firstYear } = this.births;
    const born = new Array<number>(this.cohorts).fill(0);
    const living = new Array<number>(this.cohorts).fill(0);
    const weights = this.canHaveLivingPeople(on) ? this.weights.weightsAt(on, name) : null;
    const year = yearOf(on);
    for (let cell = rowStart[2 * name + sex]; cell < rowStart[2 * name + sex + 1]; cell++) {
      const cohort = yearOffset[cell];
      const at = WEIGHTS_PER_COHORT * (sex * this.cohorts + cohort);
      const age = year - firstYear - cohort;
      born[cohort] = count[cell];
      if (weights === null) continue;
      if (age >= minAge) living[cohort] += count[cell] * weights[at];
      if (age - 1 >= minAge) living[cohort] += count[cell] * weights[at + 1];
    }
    return { born, living };
  }

  private genderOfTheLiving(name: number, on: CivilDay): Gender | null {
    if (!this.canHaveLivingPeople(on)) return null;
    const weights = this.weights.weightsAt(on, name);
    const males = this.livingOf(name, MALE, weights);
    const females = this.livingOf(name, FEMALE, weights);
    return males > females ? 'm' : females > males ? 'f' : null;
  }

  private livingOf(name: number, sex: Sex, weights: Float64Array): number {
    const { rowStart, yearOffset, count } = this.births;
    let living = 0;
    for (let cell = rowStart[2 * name + sex]; cell < rowStart[2 * name + sex + 1]; cell++) {
      const at = WEIGHTS_PER_COHORT * (sex * this.cohorts + yearOffset[cell]);
      living += count[cell] * (weights[at] + weights[at + 1]);
    }
    return living;
  }

  /** No one is born before the first birth year, and no one lives beyond the exact age of 120. */
  private canHaveLivingPeople(on: CivilDay): boolean {
    const year = yearOf(on);
    return year >= this.births.firstYear && year <= this.births.lastYear + TABLE_AGES + 1;
  }
}
