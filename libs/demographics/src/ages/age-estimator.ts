import { type CivilDay, yearOf } from '@donorlens/primitives';
import { ADULT_AGE, AdultAges } from './adult-ages';
import { type BirthTable, FEMALE, GendersByBirths, MALE, type Sex, birthYears, birthsOf } from './birth-table';
import { CohortSurvival, type LifeTables, TABLE_AGES } from './cohort-survival';
import { DateWeightCache, WEIGHTS_PER_COHORT } from './date-weights';
import { findFirstName } from '../names/first-name-key';
import { type Gender } from '../names/name-parts';
import { LivingAges, NO_AGE, UNDECIDED, ageOrNull } from './living-ages';
import { NOT_COVERED, type StepTable, stepAge } from './step-table';
import { YearWeightCache } from './year-weights';

/** Births and survivors of one name in one birth year. Births are whole numbers; survivors are expected values. */
export interface CohortCount {
  readonly year: number;
  readonly bornM: number;
  readonly bornF: number;
  /** expected people living on the date, of at least the minimum age */
  readonly livingM: number;
  readonly livingF: number;
}

/** Median and quartiles of ages in completed years; null if no people are counted. */
export interface Quartiles {
  readonly median: number | null;
  readonly q25: number | null;
  readonly q75: number | null;
}

/** Gender, ages and births of a name on a date. */
export interface AgeDistribution extends Quartiles {
  readonly gender: Gender | null;
  /** share of all births that have this gender, 0.5 to 1; null if gender is null */
  readonly genderProbability: number | null;
  /** expected number of people living on the date, of at least the minimum age */
  readonly livingM: number;
  readonly livingF: number;
  /** births over all years of the edition, independent of the date */
  readonly bornM: number;
  readonly bornF: number;
  /** one entry per year of the edition, ascending */
  readonly cohorts: readonly CohortCount[];
}

/**
 * Age and gender from a first name and a date.
 * Callers look up a name once with `nameIndex` and pass its position; -1 is an unknown name without age or gender.
 * `ageAt` and `genderOf` allocate nothing per query.
 */
export class AgeEstimator {
  private readonly living: LivingAges;
  private readonly genders: GendersByBirths;
  private readonly cohorts: number;
  private cohortSurvival: CohortSurvival | undefined;
  private dateWeights: DateWeightCache | undefined;
  private yearWeights: YearWeightCache | undefined;
  /** Created by the first query with the minimum age 18. */
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

  /** Survival of every birth year of the edition. Computed on first use: most queries need only the step table. */
  get survival(): CohortSurvival {
    return (this.cohortSurvival ??= new CohortSurvival(this.life, this.births.firstYear, this.births.lastYear));
  }

  private get weights(): DateWeightCache {
    return (this.dateWeights ??= new DateWeightCache(this.births, this.survival));
  }

  private get years(): YearWeightCache {
    return (this.yearWeights ??= new YearWeightCache(this.survival));
  }

  /** Position of a first name in any spelling, -1 if it is not in the birth files. ASCII names allocate nothing. */
  nameIndex(rawName: string): number {
    return findFirstName(this.births.names, rawName);
  }

  /**
   * Median age in completed years of the people with the name who are alive on the date; -1 if there are none.
   * It uses the step table if that covers the name and date, else sums; both results always equal `ageDirect`.
   * @param minAge - counts only people of at least this age, in completed years
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

  /** Separate from `ageAt`, because a function that creates a closure allocates in every call. */
  private newAdultAges(): AdultAges {
    return new AdultAges((name, on) => this.ageSummed(name, on, ADULT_AGE));
  }

  /** Equal to `ageDirect`. With a minimum age, uses cached weights of the year if they are precise enough. */
  private ageSummed(name: number, on: CivilDay, minAge: number): number {
    const weights = minAge > 0 && this.canHaveLivingPeople(on) ? this.years.find(on) : null;
    if (weights === null) return this.ageDirect(name, on, minAge);
    this.living.count(name, yearOf(on), weights);
    this.living.dropBelow(minAge);
    const age = this.living.roundedMedian();
    return age === UNDECIDED ? this.ageDirect(name, on, minAge) : age;
  }

  /** Same as `ageAt`, but always sums the cohorts of the name with the weights of the date. */
  ageDirect(name: number, on: CivilDay, minAge = 0): number {
    if (name < 0 || !this.canHaveLivingPeople(on)) return NO_AGE;
    this.living.count(name, yearOf(on), this.weights.weightsAt(on, name));
    this.living.dropBelow(minAge);
    return this.living.quantile(0.5);
  }

  /**
   * Sex with more births over all years of the edition. In a tie, the sex with more people of any age living on the
   * date. Null if that is a tie as well, and for an unknown name.
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

  /** Full distribution of a known name on a date, for the detailed response and the page. */
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

  /** @param sex - counts only this sex; undefined counts both */
  quartiles(name: number, on: CivilDay, minAge = 0, sex?: Sex): Quartiles {
    if (!this.canHaveLivingPeople(on)) return { median: null, q25: null, q75: null };
    this.living.count(name, yearOf(on), this.weights.weightsAt(on, name), sex);
    this.living.dropBelow(minAge);
    const [q25, median, q75] = [0.25, 0.5, 0.75].map((p) => ageOrNull(this.living.quantile(p)));
    return { median, q25, q75 };
  }

  /**
   * Expected female share of the people with a known name who are alive on the date, 0 to 1.
   * @param minAge - counts only people of at least this age, in completed years
   * @returns null if the expected number of living people is 0
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

  /** Births and survivors of at least the minimum age, by birth year, for one sex. */
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

  /** The tables have no births before the first birth year and no survivors beyond the exact age of 120. */
  private canHaveLivingPeople(on: CivilDay): boolean {
    const year = yearOf(on);
    return year >= this.births.firstYear && year <= this.births.lastYear + TABLE_AGES + 1;
  }
}
