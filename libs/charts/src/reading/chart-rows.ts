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

/** Ids are alternatives, and so are cycles; both kinds are conditions. An empty or missing list is no condition. */
export interface ChartScope {
  readonly cycles?: readonly number[];
  /** Offices of the candidates, or of the committees' candidates; the presidency if empty or missing. */
  readonly offices?: readonly FecOffice[];
}

export interface AgeDistributionQuery extends ChartScope {
  readonly committeeIds?: readonly string[];
  readonly basis?: CommitteeAgeBasis;
}

export interface CumulativeDonorsQuery extends ChartScope {
  readonly candidateIds?: readonly string[];
}

export interface BreakdownQuery extends CumulativeDonorsQuery {
  /** all but occupation and employer if empty or missing */
  readonly by?: readonly Breakdown[];
  readonly basis?: AgeBasis;
}

/** Lower ends, in dollars, of the bands of what a donor gave a candidate in a cycle; the last band has no upper end. */
export const DONOR_SIZES = [0, 200, 500, 1_000, 2_000] as const;

/** `0-199` also holds totals below zero, which refunds leave; dollars are cut off, so 199.99 belongs to it. */
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

/**
 * Donors of a committee in a cycle who have the same age. On the basis `donors`, their expected number, without money.
 */
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

export interface RetentionQuery extends CumulativeDonorsQuery {
  /** their presidential fields instead of single candidates; upper case */
  readonly parties?: readonly string[];
}

/** Donors of a candidate, or of all presidential candidates of a party, in a cycle and in those around it. */
export interface RetentionRow {
  readonly cycle: number;
  /** Candidate id; the party's code in a row of all of its candidates. */
  readonly candidateId: string;
  readonly donors: number;
  /** those who gave in an earlier cycle, to the same candidate or field */
  readonly returning: number;
  /** those who gave in the next cycle; null while it has no donors at all */
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
  /** Donors of all candidates for the office in the cycle, each counted once. */
  readonly fieldDonors: number;
}

/** Donors of a candidate in a cycle whose totals are in the same band. */
export interface DonorSizeRow extends DonorCounts {
  readonly cycle: number;
  readonly candidateId: string;
  /** one of DONOR_SIZES; null: money that is no donor's */
  readonly fromDollars: number | null;
}

/** Donors of a candidate in a cycle who have the same value of one attribute. Expected numbers are without money. */
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

/**
 * Cumulative donors of a candidate: one number for each day of the cycle, from its first to the last that adds a donor.
 */
export interface DonorSeries {
  readonly cycle: number;
  readonly candidateId: string;
  readonly donors: readonly number[];
  /** newest contribution of the cycle, `yyyy-mm-dd` */
  readonly newestOn: string;
}

/**
 * One row per day to the newest contribution; days after the last new donor repeat its number. Rows are made on
 * iteration.
 */
export class DailySeries implements Iterable<CumulativeDonorsRow> {
  constructor(private readonly series: readonly DonorSeries[]) {}

  *[Symbol.iterator](): Generator<CumulativeDonorsRow> {
    const calendars = new Map<number, readonly string[]>();
    for (const { cycle, candidateId, donors, newestOn } of this.series) {
      const dates = calendars.get(cycle) ?? calendarOf(cycle, parseCivilDay(newestOn));
      calendars.set(cycle, dates);
      const last = donors.length - 1;
      for (let at = 0; at < dates.length; at++)
        yield { cycle, candidateId, date: dates[at], donors: donors[Math.min(at, last)] };
    }
  }
}

/** All days of a cycle to that one, at most to the end of the cycle. */
function calendarOf(cycle: number, newestOn: CivilDay): readonly string[] {
  const first = firstDayOfCycle(cycle);
  const last = Math.min(newestOn, lastDayOfCycle(cycle));
  return Array.from({ length: last - first + 1 }, (_, at) => formatCivilDay(first + at));
}
