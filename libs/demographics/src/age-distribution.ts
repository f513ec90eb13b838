import type { Gender } from './sex';

/** Births and survivors of one name in one year of birth. Births are whole numbers, survivors expected numbers. */
export interface CohortCount {
  readonly year: number;
  readonly bornM: number;
  readonly bornF: number;
  /** living at the date and of the minimum age or more */
  readonly livingM: number;
  readonly livingF: number;
}

/** Ages in completed years up to which half, and one and three quarters, have come; null where nobody is counted. */
export interface Quartiles {
  readonly median: number | null;
  readonly q25: number | null;
  readonly q75: number | null;
}

/** Everything that is known of a name at a date. */
export interface AgeDistribution extends Quartiles {
  readonly gender: Gender | null;
  /** share of all births that have this gender, 0.5 to 1; null where gender is null */
  readonly genderProbability: number | null;
  /** expected number of people living at the date, of the minimum age or more */
  readonly livingM: number;
  readonly livingF: number;
  /** births over all years of the edition, whatever the date */
  readonly bornM: number;
  readonly bornF: number;
  /** one entry per year of the edition, ascending */
  readonly cohorts: readonly CohortCount[];
}
