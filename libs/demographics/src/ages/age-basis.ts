import { type CivilDay, yearOf } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { type Quartiles } from './age-estimator';
import { type GroupAgeEstimator, type GroupAges, type MedianDateRange } from './group-ages';
import { ageOrNull } from './living-ages';

/**
 * Population on which an age estimate is based: `name`, all people with the name; `adult`, those aged 18 or older;
 * `donors`, the stored donors of the cycle of the date; `group`, the rows of the batch.
 */
export const AGE_BASES = ['name', 'adult', 'donors', 'group'] as const;
export type AgeBasis = (typeof AGE_BASES)[number];

/** A basis with its own age distribution. */
export type GroupBasis = Extract<AgeBasis, 'donors' | 'group'>;

/** Thrown if the basis and the minimum age contradict each other. */
export class AgeBasisError extends Error {}

/**
 * Minimum age that a basis implies.
 * @param minAge - minimum age of the request in completed years; undefined if it has none
 * @throws AgeBasisError if `minAge` contradicts the basis
 */
export function minAgeForBasis(basis: AgeBasis, minAge: number | undefined): number | undefined {
  if (basis === 'name') return minAge;
  const isAdult = basis === 'adult';
  if (minAge !== undefined && minAge !== ADULT_AGE)
    throw new AgeBasisError(
      isAdult ? `is ${ADULT_AGE} with age_basis=adult` : `does not apply with age_basis=${basis}: it counts adults`,
    );
  return isAdult ? ADULT_AGE : undefined;
}

/** Basis (`name` or `adult`) for a minimum age that `minAgeForBasis` returned. */
export const basisOf = (minAge: number | null | undefined): AgeBasis => (minAge === ADULT_AGE ? 'adult' : 'name');

/** Stored age distribution of a group in a year, or in a cycle, which is identified by its last year. */
export interface YearGroup {
  readonly year: number;
  /** 0 to 1 by completed age, starting with 18 */
  readonly shares: readonly number[];
  readonly maleShare: number;
  /** people with an informative first name; undefined if the number is unknown */
  readonly people?: number;
}

export const yearGroup = (year: number, { shares, maleShare }: GroupAges): YearGroup => ({
  year,
  shares: [...shares],
  maleShare,
});

/** A power of two; 2 MB while results are read. */
const ENTRIES = 2 ** 17;
const SHIFT = 33 - Math.log2(ENTRIES); // takes the high bits of a product; entries form pairs

/** Cache of the median ages of names by year; each pair of name and year has two entries. */
class MedianAgeCache {
  /** Four numbers per entry: position of the name + 1 (0 if empty), first day, last day, age. */
  private readonly entries = new Int32Array(4 * ENTRIES);

  constructor(private readonly compute: (name: number, on: CivilDay) => MedianDateRange) {}

  ageAt(name: number, on: CivilDay): number {
    const { entries } = this;
    const first = ((Math.imul(name, 0x9e3779b1) ^ Math.imul(yearOf(on), 0x85ebca6b)) >>> SHIFT) << 3;
    for (let at = first; at <= first + 4; at += 4)
      if (entries[at] === name + 1 && on >= entries[at + 1] && on <= entries[at + 2]) return entries[at + 3];
    const { age, from, to } = this.compute(name, on);
    const at = first + 4 * (age & 1); // consecutive ages use different entries
    entries[at] = name + 1;
    entries[at + 1] = from;
    entries[at + 2] = to;
    entries[at + 3] = age;
    return age;
  }
}

/** Ages by name and date, from the group whose year is closest to the date. In a tie, the later year is used. */
export class GroupedAges {
  private readonly groups: readonly (GroupAges & { readonly year: number })[];
  private readonly nearest = new Map<number, GroupAges & { readonly year: number }>();
  private readonly medians = new MedianAgeCache((name, on) =>
    this.estimator.median(name, on, this.groupOf(yearOf(on))),
  );

  /** @param groups - at least one */
  constructor(
    private readonly estimator: GroupAgeEstimator,
    groups: readonly YearGroup[],
  ) {
    this.groups = groups.map(({ year, shares, maleShare, people = 0 }) => ({
      ...{ year, shares: Float64Array.from(shares), maleShare },
      ...{ people, effectivePeople: 0 },
    }));
  }

  /** @param name - position in the birth files; -1 and uninformative names have no age */
  quartiles(name: number, on: CivilDay): Quartiles {
    return this.estimator.quartiles(name, on, this.groupOf(yearOf(on)));
  }

  /** Median of `quartiles`. */
  ageAt(name: number, on: CivilDay): number | null {
    return name < 0 ? null : ageOrNull(this.medians.ageAt(name, on));
  }

  /** Group whose year is closest. */
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
