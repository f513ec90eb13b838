import { ADULT_AGE, type Demographics, type GroupAges, type Quartiles, groupQuantile } from '@donorlens/demographics';
import { type CivilDay, yearOf } from '@donorlens/primitives';
import { type AgeEstimates, type AgeScores, type KnownAge, ageScores, groupsOf, medianOf } from './age-scores';
import { MAX_AGE } from './truth-file';

const AGE_BASES = ['name', 'adult', 'donors', 'group'] as const;
type AgeBasis = (typeof AGE_BASES)[number];

/** Shares of people by age, 0 to 1: true ones, and the estimate of each basis; NaN without an estimate. */
interface AgeBand extends Readonly<Record<AgeBasis | 'truth', number>> {
  readonly from: number;
  readonly to: number;
}

/** Ages by every basis. */
export interface AgeEvaluation {
  readonly bases: readonly (AgeScores & { readonly basis: AgeBasis })[];
  readonly distribution: readonly AgeBand[];
}

/** A person of known age. */
export interface Person extends KnownAge {
  /** Index of the first name in the birth files; -1 if it is not listed. */
  readonly name: number;
  readonly on: CivilDay;
}

/** @returns null if no first name is known */
export function evaluateAges(people: readonly Person[], demographics: Demographics): AgeEvaluation | null {
  if (people.every(({ name }) => name < 0)) return null;
  const groups = groupAges(people, demographics);
  const estimates: Readonly<Record<AgeBasis, AgeEstimates>> = {
    name: byName(people, demographics, 0),
    adult: byName(people, demographics, ADULT_AGE),
    donors: withMedians(people, byHalves(people, demographics)),
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
    donors: histogramOf('donors'),
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
    ...{ name: shares.name[at], adult: shares.adult[at], donors: shares.donors[at], group: shares.group[at] },
  }));
  return { bases, distribution };
}

const named = (members: readonly Person[]) => members.map(({ name, on }) => ({ name, on, people: 1 }));

/** Adults in the middle of the people's dates. */
const adultsOf = (people: readonly Person[], { groupAges: estimator }: Demographics): GroupAges =>
  estimator.adults(Math.floor(medianOf(people.map(({ on }) => on))));

/** Age distribution of each group, shrunk toward that of all people of the file. */
function groupAges(people: readonly Person[], demographics: Demographics): ReadonlyMap<string, GroupAges> {
  const { groupAges: estimator } = demographics;
  const parent = estimator.estimate(named(people), adultsOf(people, demographics));
  const groups = groupsOf(people);
  if (groups.size === 1) return new Map([...groups].map(([group]) => [group, parent]));
  return new Map([...groups].map(([group, members]) => [group, estimator.estimate(named(members), parent)]));
}

const byName = (people: readonly Person[], { ages }: Demographics, minAge: number): AgeEstimates =>
  withMedians(
    people,
    people.map(({ name, on }) => (name < 0 ? null : ages.quartiles(name, on, minAge))),
  );

/** People by the last year of the cycle of their date. */
const cycleOf = ({ on }: Person): string => String(2 * Math.ceil(yearOf(on) / 2));

/**
 * The people of a cycle replace its stored donors. The age distribution for each half is estimated from the other half,
 * so that a person's own name has no influence.
 */
function byHalves(people: readonly Person[], demographics: Demographics): (Quartiles | null)[] {
  const { groupAges: estimator } = demographics;
  const persons = new Map<Person, Quartiles>();
  for (const members of groupsOf(people.map((person) => ({ group: cycleOf(person), person }))).values()) {
    const all = members.map(({ person }) => person);
    const adults = adultsOf(all, demographics);
    const halves = [0, 1].map((half) => all.filter((_, at) => at % 2 === half));
    for (const [half, other] of [halves, [...halves].reverse()]) {
      const donors = estimator.estimate(named(other), adults);
      for (const person of half) persons.set(person, estimator.quartiles(person.name, person.on, donors));
    }
  }
  return people.map((person) => persons.get(person) ?? null);
}

/** A group's median is that of its people's median ages. */
function withMedians(people: readonly Person[], persons: readonly (Quartiles | null)[]): AgeEstimates {
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
  const all = bands.reduce((sum, n) => sum + n, 0);
  return bands.map((n) => n / all);
}
