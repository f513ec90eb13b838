/** Cells of one line in the order of its columns; the same question to the same version gives the same lines in the same order. */
export type ChartRow = readonly (string | number)[];

/** `adult`: ages on the condition of having reached 18. */
export const AGE_BASES = ['all', 'adult'] as const;
export type AgeBasis = (typeof AGE_BASES)[number];

export const BREAKDOWNS = ['age', 'ethnicity', 'gender', 'income', 'state'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

/** Ids are OR, cycles are OR, both are AND; none given is no condition. */
export interface AgeDistributionQuery {
  readonly committeeIds?: readonly string[];
  readonly cycles?: readonly number[];
  readonly basis?: AgeBasis;
}

export interface CumulativeDonorsQuery {
  readonly candidateIds?: readonly string[];
  readonly cycles?: readonly number[];
}

export interface BreakdownQuery {
  readonly candidateIds?: readonly string[];
  readonly cycles?: readonly number[];
  /** none given: all of them */
  readonly by?: readonly Breakdown[];
}
