import { type Quartiles } from '@donorlens/demographics';

/** A person of known age. */
export interface KnownAge {
  readonly group: string;
  /** completed years */
  readonly age: number;
}

/** Ages of people by one basis. */
export interface AgeEstimates {
  /** Estimates in the order of the people; null without an estimate. */
  readonly persons: readonly (Quartiles | null)[];
  /** Median age of a group; null without an estimate. */
  readonly medianOf: (group: string) => number | null;
}

/** How well ages were estimated, in years. */
export interface AgeScores {
  /** people with an estimate */
  readonly rows: number;
  readonly groups: number;
  /** mean over groups of the distance between estimated and true median */
  readonly group_median_error: number;
  /** mean of estimated minus true age */
  readonly bias: number;
  readonly mean_absolute_error: number;
  /** 0 to 1: share of the people whose age is between the quartiles, both included */
  readonly coverage: number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean of the middle two of an even number of values; NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** People by group, in the order of their first appearance. */
export function groupsOf<Member extends { readonly group: string }>(
  people: readonly Member[],
): ReadonlyMap<string, readonly Member[]> {
  const groups = new Map<string, Member[]>();
  for (const one of people) {
    const members = groups.get(one.group);
    if (members) members.push(one);
    else groups.set(one.group, [one]);
  }
  return groups;
}

/**
 * @param people - all people of known age: the true median of a group is that of all of them
 * @returns null without an estimate for any person
 */
export function ageScores(people: readonly KnownAge[], estimates: AgeEstimates): AgeScores | null {
  const pairs = people.flatMap(({ age }, at) => {
    const { median, q25, q75 } = estimates.persons[at] ?? {};
    return typeof median === 'number' && typeof q25 === 'number' && typeof q75 === 'number'
      ? [{ age, median, isInside: q25 <= age && age <= q75 }]
      : [];
  });
  if (pairs.length === 0) return null;
  const groupErrors = [...groupsOf(people)].flatMap(([group, members]) => {
    const median = estimates.medianOf(group);
    return median === null ? [] : [Math.abs(median - medianOf(members.map(({ age }) => age)))];
  });
  return {
    rows: pairs.length,
    groups: groupErrors.length,
    group_median_error: mean(groupErrors),
    bias: mean(pairs.map(({ age, median }) => median - age)),
    mean_absolute_error: mean(pairs.map(({ age, median }) => Math.abs(median - age))),
    coverage: mean(pairs.map(({ isInside }) => (isInside ? 1 : 0))),
  };
}
