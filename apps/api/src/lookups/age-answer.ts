import {
  ADULT_AGE,
  ageAndGender,
  type AgeDistribution,
  emptyAgeAndGender,
  FEMALE,
  type Gender,
  type GroupedAges,
  MALE,
  type Quartiles,
} from '@donorlens/demographics';
import { type CivilDay, parseCivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { ageGenderDetail } from './age-gender-results';

/** Distribution of one name at one date, for the page, its chart, JSON and CSV. */
export interface AgeAnswer {
  readonly name: string;
  /** yyyy-mm-dd as requested */
  readonly date: string;
  readonly on: CivilDay;
  readonly minAge: number;
  /** Whose ages the name stands for; null for all people of the minimum age. */
  readonly donors: GroupedAges | null;
  /** position of the name in the birth files; -1: unknown */
  readonly nameIndex: number;
  readonly ageYears: number | null;
  readonly gender: Gender | null;
  /** null if the name is not in the birth files */
  readonly distribution: AgeDistribution | null;
  /** of each sex alone; null if the name is not in the birth files */
  readonly sexes: Readonly<Record<Gender, Quartiles>> | null;
  /** label of the data that was searched */
  readonly records: string;
}

/** @param donors - counts people of 18 or over, and takes their ages from the donors */
export function ageAnswer(
  release: Release,
  name: string,
  date: string,
  least: number,
  donors: GroupedAges | null = null,
): AgeAnswer {
  const minAge = donors === null ? least : ADULT_AGE;
  const on = parseCivilDay(date);
  const { ages } = release.demographics;
  const options = { minAge, hasGivenNames: false };
  const found = ageAndGender(name, on, options, release.demographics, emptyAgeAndGender());
  const { nameIndex, gender } = found;
  const quartiles = donors?.quartiles(nameIndex, on);
  const ageYears = quartiles === undefined ? found.ageYears : quartiles.median;
  const distribution = nameIndex < 0 ? null : { ...ages.distribution(nameIndex, on, minAge), ...quartiles };
  const records = release.label === 'sample' ? 'the sample' : 'the national birth records';
  const sexes =
    distribution === null
      ? null
      : { m: ages.quartiles(nameIndex, on, minAge, MALE), f: ages.quartiles(nameIndex, on, minAge, FEMALE) };
  return { name, date, on, minAge, donors, nameIndex, ageYears, gender, distribution, sexes, records };
}

const people = (count: number): number => Math.round(count * 100) / 100;

/** The result of endpoint 2; `detail` adds the distribution, one number per birth year from `first_birth_year`. */
export function answerAsJson(answer: AgeAnswer, release: Release, detail: boolean): string {
  const { distribution, nameIndex, ageYears, gender, on, minAge, donors } = answer;
  const result = { age: ageYears, gender };
  if (!detail) return JSON.stringify(result);
  const cohorts = distribution?.cohorts ?? [];
  return JSON.stringify({
    ...result,
    ...ageGenderDetail(release, nameIndex, on, minAge, donors),
    living_m: people(distribution?.livingM ?? 0),
    living_f: people(distribution?.livingF ?? 0),
    first_birth_year: cohorts[0]?.year ?? null,
    born_m: cohorts.map(({ bornM }) => bornM),
    born_f: cohorts.map(({ bornF }) => bornF),
    living_by_year_m: cohorts.map(({ livingM }) => people(livingM)),
    living_by_year_f: cohorts.map(({ livingF }) => people(livingF)),
  });
}

/** One line per birth year in which the name was given. */
export function answerAsCsv({ distribution }: AgeAnswer): string {
  const lines = (distribution?.cohorts ?? [])
    .filter(({ bornM, bornF }) => bornM + bornF > 0)
    .map(({ year, bornM, bornF, livingM, livingF }) =>
      [year, bornM, bornF, livingM.toFixed(2), livingF.toFixed(2)].join(','),
    );
  return ['BIRTH_YEAR,BORN_M,BORN_F,LIVING_M,LIVING_F', ...lines, ''].join('\n');
}
