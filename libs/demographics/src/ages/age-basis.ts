import { type CivilDay, yearOf } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { type Quartiles } from './age-estimator';
import { type GroupAgeEstimator, type GroupAges, type MedianStretch } from './group-ages';
import { orNull } from './living-ages';

/**
 * People whose ages a name represents: `name`, all with the name; `adult`, those of 18 and over; `donors`, the stored
 * donors of the cycle of the date; `group`, the rows of the batch.
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
  /** People whose first names are informative; undefined if unknown. */
  readonly people?: number;
}

export const yearGroup = (year: number, { shares, maleShare }: GroupAges): YearGroup => ({
  year,
  shares: [...shares],
  maleShare,
});

/** A power of two; 2 MB while results are read. */
const ENTRIES = 2 ** 17;
const SHIFT = 33 - Math.log2(ENTRIES); // for an even entry, from the highest bits of a product

/** Cache of the median ages of names in a year; direct-mapped. */
class MedianStretches {
  /** Four numbers per entry: index of the name plus 1 (0: empty), first day, last day, age. */
  private readonly entries = new Int32Array(4 * ENTRIES);

  constructor(private readonly compute: (name: number, on: CivilDay) => MedianStretch) {}

  ageAt(name: number, on: CivilDay): number {
    const { entries } = this;
    const first = ((Math.imul(name, 0x9e3779b1) ^ Math.imul(yearOf(on), 0x85ebca6b)) >>> SHIFT) << 3;
    for (let at = first; at <= first + 4; at += 4)
      if (entries[at] === name + 1 && on >= entries[at + 1] && on <= entries[at + 2]) return entries[at + 3];
    const { age, from, to } = this.compute(name, on);
    const at = first + 4 * (age & 1); // neighbouring ages have one each
    entries[at] = name + 1;
    entries[at + 1] = from;
    entries[at + 2] = to;
    entries[at + 3] = age;
    return age;
  }
}

/**
 * Ages of people by name and date under the distribution of the group whose year is the nearest; of two, the later one.
 */
export class GroupedAges {
  private readonly groups: readonly (GroupAges & { readonly year: number })[];
  private readonly nearest = new Map<number, GroupAges & { readonly year: number }>();
  private readonly medians = new MedianStretches((name, on) =>
    this.estimator.median(name, on, this.groupOf(yearOf(on))),
  );

  /** @param groups - one or more */
  constructor(
    private readonly estimator: GroupAgeEstimator,
    groups: readonly YearGroup[],
  ) {
    this.groups = groups.map(({ year, shares, maleShare, people = 0 }) => ({
      ...{ year, shares: Float64Array.from(shares), maleShare },
      ...{ people, effectivePeople: 0 },
    }));
  }

  /** @param name - index in the birth files; -1 and uninformative names have no age */
  quartiles(name: number, on: CivilDay): Quartiles {
    return this.estimator.quartiles(name, on, this.groupOf(yearOf(on)));
  }

  /** Median of `quartiles`. */
  ageAt(name: number, on: CivilDay): number | null {
    return name < 0 ? null : orNull(this.medians.ageAt(name, on));
  }

  /** The group of a year. */
  groupOf(year: number): GroupAges & { readonly year: number } {
    const known = this.nearest.get(year);
    if (known) return known;
    const distance = (one: { readonly year: number }): number =>
      2 * Math.abs(one.year - year) - (one.year > year ? 1 : 0);
    const nearest = this.groups.reduce((best, one) => (distance(one) < distance(best) ? one : best));
    this.nearest.set(year, nearest);
    return nearest;
  }
}
