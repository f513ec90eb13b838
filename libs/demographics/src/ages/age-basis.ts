import { type CivilDay, yearOf } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { type Quartiles } from './age-estimator';
import { type GroupAgeEstimator, type GroupAges } from './group-ages';

/**
 * Whose ages a name stands for: `name`, all who have it; `adult`, those of 18 and over; `donors`, the stored donors of the
 * cycle of the date; `group`, the rows of the batch.
 */
export const AGE_BASES = ['name', 'adult', 'donors', 'group'] as const;
export type AgeBasis = (typeof AGE_BASES)[number];

/** A basis with a distribution of its own. */
export type GroupBasis = Extract<AgeBasis, 'donors' | 'group'>;

/** Basis and minimum age contradict each other. The message says why. */
export class AgeBasisError extends Error {}

/**
 * The minimum age under a basis.
 * @param minAge - as given, completed years; undefined if it is not
 * @throws AgeBasisError
 */
export function minAgeOn(basis: AgeBasis, minAge: number | undefined): number | undefined {
  if (basis === 'name') return minAge;
  const isAdult = basis === 'adult';
  if (minAge !== undefined && minAge !== ADULT_AGE)
    throw new AgeBasisError(
      isAdult ? `is ${ADULT_AGE} with age_basis=adult` : `does not apply with age_basis=${basis}: it counts adults`,
    );
  return isAdult ? ADULT_AGE : undefined;
}

/** What `minAgeOn` yields, by name. */
export const basisOf = (minAge: number | null | undefined): AgeBasis => (minAge === ADULT_AGE ? 'adult' : 'name');

/** Age distribution of a group in a year or in a cycle, which is named by its last year; as it is stored. */
export interface YearGroup {
  readonly year: number;
  /** 0 to 1 by completed age, 18 first */
  readonly shares: readonly number[];
  readonly maleShare: number;
}

export const yearGroup = (year: number, { shares, maleShare }: GroupAges): YearGroup => ({
  year,
  shares: [...shares],
  maleShare,
});

/** Ages of people by name and date under the distribution of the group whose year is the nearest; of two, the later one. */
export class GroupedAges {
  private readonly groups: readonly (GroupAges & { readonly year: number })[];
  private readonly nearest = new Map<number, GroupAges>();

  /** @param groups - one or more */
  constructor(
    private readonly estimator: GroupAgeEstimator,
    groups: readonly YearGroup[],
  ) {
    this.groups = groups.map(({ year, shares, maleShare }) => ({
      ...{ year, shares: Float64Array.from(shares), maleShare },
      ...{ people: 0, effectivePeople: 0 },
    }));
  }

  /** @param name - position in the birth files; -1, as a name that tells nothing, has no age */
  quartiles(name: number, on: CivilDay): Quartiles {
    return this.estimator.quartiles(name, on, this.groupOf(yearOf(on)));
  }

  /** Median of `quartiles`. */
  ageAt(name: number, on: CivilDay): number | null {
    return this.estimator.quantile(0.5, name, on, this.groupOf(yearOf(on)));
  }

  private groupOf(year: number): GroupAges {
    const known = this.nearest.get(year);
    if (known) return known;
    const distance = (one: { readonly year: number }): number =>
      2 * Math.abs(one.year - year) - (one.year > year ? 1 : 0);
    const nearest = this.groups.reduce((best, one) => (distance(one) < distance(best) ? one : best));
    this.nearest.set(year, nearest);
    return nearest;
  }
}
