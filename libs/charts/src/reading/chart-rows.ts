import { type Interval } from '@donorlens/demographics';
import {
  type CivilDay,
  type FecOffice,
  firstDayOfCycle,
  formatCivilDay,
  lastDayOfCycle,
  parseCivilDay,
} from '@donorlens/primitives';

/** `adult`: ages are estimated given survival to age 18. */
export const AGE_BASES = ['all', 'adult'] as const;
export type AgeBasis = (typeof AGE_BASES)[number];

/** `donors`: expected donors by age, estimated from the first names of all donors of the committee together. */
export const COMMITTEE_AGE_BASES = [...AGE_BASES, 'donors'] as const;
export type CommitteeAgeBasis = (typeof COMMITTEE_AGE_BASES)[number];

export const DEFAULT_BREAKDOWNS = ['age', 'ethnicity', 'gender', 'income', 'state'] as const;
export const BREAKDOWNS = [...DEFAULT_BREAKDOWNS, 'occupation', 'employer'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

/** Ids are alternatives, and so are cycles; a row must match both lists. An empty or missing list is no condition. */
export interface ChartScope {
  readonly cycles?: readonly number[];
  /** offices of the candidates, or of the committees' candidates; the presidency if empty or missing */
  readonly offices?: readonly FecOffice[];
}

export interface AgeDistributionQuery extends ChartScope {
  readonly committeeIds?: readonly string[];
  readonly basis?: CommitteeAgeBasis;
}

export interface CandidateQuery extends ChartScope {
  readonly candidateIds?: readonly string[];
}

export interface BreakdownQuery extends CandidateQuery {
  /** all attributes except occupation and employer if empty or missing */
  readonly by?: readonly Breakdown[];
  readonly basis?: AgeBasis;
}

/** Lower bounds in dollars of the bands of a donor's total for a candidate in a cycle. The last band is open-ended. */
export const DONOR_SIZES = [0, 200, 500, 1_000, 2_000] as const;

/** Label of a band. `0-199` includes 199.99, because cents are truncated, and negative totals, which refunds cause. */
export function donorSizeBand(fromDollars: number): string {
  const next = DONOR_SIZES.find((size) => size > fromDollars);
  return next === undefined ? `${fromDollars}+` : `${fromDollars}-${next - 1}`;
}

export interface DonorCounts {
  readonly donors: number;
  readonly contributions: number;
  /** whole cents, net of refunds */
  readonly amountCents: number;
}

/** Donors of a committee in a cycle who have the same age. The basis `donors` has expected numbers, without money. */
export interface AgeRow {
  readonly donors: number;
  readonly contributions: number | null;
  readonly amountCents: number | null;
  readonly cycle: number;
  readonly committeeId: string;
  /** completed years; null: unknown */
  readonly ageYears: number | null;
  /** 95 % interval of the median of the committee, in completed years; only ages estimated from all donors have one */
  readonly medianInterval?: Pick<Interval, 'low' | 'high'>;
}

export interface RetentionQuery extends CandidateQuery {
  /** codes in upper case: all presidential candidates of each party instead of single candidates */
  readonly parties?: readonly string[];
}

/** Donors of a candidate or a party in a cycle, and how many of them also gave in earlier cycles and the next one. */
export interface RetentionRow {
  readonly cycle: number;
  /** for all candidates of a party, the code of the party */
  readonly candidateId: string;
  readonly donors: number;
  /**
   * donors who also gave in an earlier cycle, to the same candidate or party; null if no earlier cycle has donors for the
   * office
   */
  readonly returning: number | null;
  /** donors who gave again in the next cycle; null while that cycle has no donors for the office */
  readonly again: number | null;
}

/** Donors of a cycle who gave to both of two candidates for one office. */
export interface OverlapRow {
  readonly cycle: number;
  readonly candidateId: string;
  readonly otherCandidateId: string;
  readonly shared: number;
  readonly donors: number;
  readonly otherDonors: number;
  /** distinct donors of all candidates for the office in the cycle */
  readonly fieldDonors: number;
}

/** Donors of a candidate in a cycle whose totals are in the same band. */
export interface DonorSizeRow extends DonorCounts {
  readonly cycle: number;
  readonly candidateId: string;
  /** one of DONOR_SIZES; null: money without a donor */
  readonly fromDollars: number | null;
}

/** Donors of a candidate in a cycle who have the same value of an attribute. Expected numbers have no money. */
export interface BreakdownRow {
  readonly donors: number;
  readonly contributions: number | null;
  readonly amountCents: number | null;
  readonly cycle: number;
  readonly candidateId: string;
  readonly by: Breakdown;
  /** a code, or a band such as `20-29` years and `50000-59999` dollars; null: unknown */
  readonly value: string | null;
}

/** Donors of a candidate from the start of a cycle to the end of one day. */
export interface CumulativeDonorsRow {
  readonly cycle: number;
  readonly candidateId: string;
  /** `yyyy-mm-dd` */
  readonly date: string;
  readonly donors: number;
}

/** Cumulative donors of a candidate by day, from the first day of the cycle to the last day with a new donor. */
export interface DonorSeries {
  readonly cycle: number;
  readonly candidateId: string;
  readonly donors: readonly number[];
  /** newest contribution to committees of the office of the candidate in the cycle, `yyyy-mm-dd` */
  readonly newestOn: string;
}

/** Creates one row per day to the newest contribution. Days after the last new donor repeat its number. */
export class DailySeries implements Iterable<CumulativeDonorsRow> {
  constructor(private readonly series: readonly DonorSeries[]) {}

  *[Symbol.iterator](): Generator<CumulativeDonorsRow> {
    const calendars = new Map<string, readonly string[]>(); // the newest contributions of two offices differ
    for (const { cycle, candidateId, donors, newestOn } of this.series) {
      const days = `${cycle} ${newestOn}`;
      const dates = calendars.get(days) ?? calendarOf(cycle, parseCivilDay(newestOn));
      calendars.set(days, dates);
      const last = donors.length - 1;
      for (let at = 0; at < dates.length; at++)
        yield { cycle, candidateId, date: dates[at], donors: donors[Math.min(at, last)] };
    }
  }
}

/** All days of a cycle to the newest contribution, at most to the end of the cycle. */
function calendarOf(cycle: number, newestOn: CivilDay): readonly string[] {
  const first = firstDayOfCycle(cycle);
  const last = Math.min(newestOn, lastDayOfCycle(cycle));
  return Array.from({ length: last - first + 1 }, (_, at) => formatCivilDay(first + at));
}
