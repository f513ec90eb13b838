import {
  ADULT_AGE,
  type Demographics,
  type Gender,
  type GroupAges,
  type Quartiles,
  PCT_COLUMNS,
  groupQuantile,
} from '@donorlens/demographics';
import { type EnrichmentTables, type EnrichedItem, enrichItem } from '@donorlens/enrichment';
import { type CivilDay } from '@donorlens/primitives';
import { type AgeEstimates, type AgeScores, type KnownAge, ageScores, groupsOf, medianOf } from './age-scores';
import { type ClassEstimate, type ClassScores, classScores } from './class-scores';
import { MAX_AGE, type TruthRow } from './truth-file';

const AGE_BASES = ['name', 'adult', 'group'] as const;
type AgeBasis = (typeof AGE_BASES)[number];

/** Shares of people by age, 0 to 1: the truth, and the estimate of each basis. */
interface AgeBand extends Readonly<Record<AgeBasis | 'truth', number>> {
  readonly from: number;
  readonly to: number;
}

/** What `evaluate` measures; a part is null if the file does not tell the truth of it. */
export interface Evaluation {
  readonly rows: number;
  /** rows that cannot be enriched, such as those with an invalid date */
  readonly invalid_rows: number;
  readonly first_names_known: number;
  readonly surnames_known: number;
  readonly ages: {
    readonly bases: readonly (AgeScores & { readonly basis: AgeBasis })[];
    readonly distribution: readonly AgeBand[];
  } | null;
  readonly gender: readonly (ClassScores & { readonly basis: 'name' })[] | null;
  readonly ethnicity: readonly (ClassScores & { readonly basis: 'surname' })[] | null;
}

/** A person of known age. */
interface Person extends KnownAge {
  /** position of the first name in the birth files, -1 where it is not there */
  readonly name: number;
  readonly on: CivilDay;
}

/** Enriches people of known attributes by every basis and compares. Equal rows and tables give equal results. */
export function evaluate(rows: readonly TruthRow[], tables: EnrichmentTables): Evaluation {
  const people: Person[] = [];
  const genders: ClassEstimate<Gender>[] = [];
  const races: ClassEstimate<(typeof PCT_COLUMNS)[number]>[] = [];
  const counts = { invalid_rows: 0, first_names_known: 0, surnames_known: 0 };
  for (const { item: columns, group, age, gender, race } of rows) {
    const item = enrichItem('contributions', columns, tables);
    if (item.errorCode !== null) counts.invalid_rows++;
    if (item.nameIndex >= 0) counts.first_names_known++;
    if (item.surnameTable !== null) counts.surnames_known++;
    if (age !== null && item.on !== null) people.push({ group, age, name: item.nameIndex, on: item.on });
    if (gender !== null && item.nameIndex >= 0) genders.push(genderEstimate(gender, item, tables.demographics));
    const probabilities = item.pctHundredths && normalized([...item.pctHundredths]);
    if (race !== null && probabilities) races.push({ truth: race, label: item.race, probabilities });
  }
  const gender = classScores(['m', 'f'], genders);
  const ethnicity = classScores(PCT_COLUMNS, races);
  return {
    rows: rows.length,
    ...counts,
    ages: people.some(({ name }) => name >= 0) ? agesOf(people, tables.demographics) : null,
    gender: gender && [{ basis: 'name', ...gender }],
    ethnicity: ethnicity && [{ basis: 'surname', ...ethnicity }],
  };
}

function genderEstimate(truth: Gender, item: EnrichedItem, { ages }: Demographics): ClassEstimate<Gender> {
  const male = ages.genderProbability(item.nameIndex, 'm');
  return { truth, label: item.gender, probabilities: [male, 1 - male] };
}

function normalized(shares: readonly number[]): number[] {
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

function agesOf(people: readonly Person[], demographics: Demographics): NonNullable<Evaluation['ages']> {
  const groups = groupAges(people, demographics);
  const estimates: Readonly<Record<AgeBasis, AgeEstimates>> = {
    name: byName(people, demographics, 0),
    adult: byName(people, demographics, ADULT_AGE),
    group: {
      persons: people.map(({ name, on, group }) => demographics.groupAges.quartiles(name, on, groups.get(group)!)),
      medianOf: (group) => groupQuantile(groups.get(group)!.shares, 0.5),
    },
  };
  const bases = AGE_BASES.flatMap((basis) => {
    const scores = ageScores(people, estimates[basis]);
    return scores ? [{ basis, ...scores }] : [];
  });
  const histogramOf = (basis: AgeBasis): number[] =>
    inBands(
      estimates[basis].persons.flatMap((one) => (typeof one?.median === 'number' ? [[one.median, 1] as const] : [])),
    );
  const shares: Readonly<Record<AgeBasis | 'truth', number[]>> = {
    truth: inBands(people.map(({ age }) => [age, 1] as const)),
    name: histogramOf('name'),
    adult: histogramOf('adult'),
    group: inBands(
      [...groupsOf(people)].flatMap(([group, { length }]) =>
        [...groups.get(group)!.shares].map((share, at) => [ADULT_AGE + at, share * length] as const),
      ),
    ),
  };
  const distribution = BAND_ENDS.map((to, at) => ({
    from: (BAND_ENDS[at - 1] ?? -1) + 1,
    to,
    truth: shares.truth[at],
    ...{ name: shares.name[at], adult: shares.adult[at], group: shares.group[at] },
  }));
  return { bases, distribution };
}

/** Age distribution of each group, shrunk toward that of all people of the file. */
function groupAges(people: readonly Person[], { groupAges: estimator }: Demographics): ReadonlyMap<string, GroupAges> {
  const named = (members: readonly Person[]) => members.map(({ name, on }) => ({ name, on, people: 1 }));
  const days = people.map(({ on }) => on);
  const parent = estimator.estimate(named(people), estimator.adults(Math.floor(medianOf(days))));
  const groups = groupsOf(people);
  if (groups.size === 1) return new Map([...groups].map(([group]) => [group, parent]));
  return new Map([...groups].map(([group, members]) => [group, estimator.estimate(named(members), parent)]));
}

/** The specified rule: a group's median is that of its people's median ages. */
function byName(people: readonly Person[], { ages }: Demographics, minAge: number): AgeEstimates {
  const persons = people.map(({ name, on }): Quartiles | null => (name < 0 ? null : ages.quartiles(name, on, minAge)));
  const medians = people.flatMap(({ group }, at) => {
    const age = persons[at]?.median;
    return typeof age === 'number' ? [{ group, age }] : [];
  });
  const byGroup = groupsOf(medians);
  return {
    persons,
    medianOf: (group) => {
      const members = byGroup.get(group);
      return members ? medianOf(members.map(({ age }) => age)) : null;
    },
  };
}

/** Oldest age of each band; the youngest follows the band before. */
const BAND_ENDS = [17, 29, 39, 49, 59, 69, 79, MAX_AGE];

/** Shares of people by band, 0 to 1. */
function inBands(people: readonly (readonly [age: number, people: number])[]): number[] {
  const bands = BAND_ENDS.map(() => 0);
  for (const [age, n] of people) bands[BAND_ENDS.findIndex((to) => age <= to)] += n;
  return normalized(bands);
}
