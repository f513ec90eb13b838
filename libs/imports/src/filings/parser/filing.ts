import { type CivilDay, DomainError } from '@donorlens/primitives';

/** How a filing begins: before its form. */
export interface FilingHeader {
  readonly version: string;
  /** The filing that this one amends, as its number; null where it amends nothing or does not say which. */
  readonly amends: string | null;
  /** 0 where it amends nothing; the filer's own count otherwise. */
  readonly amendment: number;
}

/** The form: who reports what period, and the sums that the filer states, in cents; null where the form has no such line. */
export interface FilingCover {
  /** `F3PN`, `F3XA`, ... */
  readonly form: string;
  readonly filer: string;
  readonly filerName: string;
  readonly reportCode: string;
  /** NaN where the form states none. */
  readonly coverageFrom: CivilDay;
  readonly coverageTo: CivilDay;
  readonly summary: SummaryLines;
}

export interface SummaryLines {
  readonly itemizedCents: number | null;
  readonly unitemizedCents: number | null;
  readonly individualsCents: number | null;
  readonly refundsCents: number | null;
}

/** One itemized receipt or refund as filed; text that the version has no column for is empty. */
export interface FiledItem {
  /** Line of the form: SA17A, SA18, SB28A, SA11AI, SA12, SB20A. */
  readonly line: string;
  readonly transactionId: string;
  readonly entityType: string;
  readonly organization: string;
  readonly lastName: string;
  readonly firstName: string;
  readonly middleName: string;
  readonly suffix: string;
  readonly street1: string;
  readonly street2: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly electionCode: string;
  /** As filed, usually YYYYMMDD. */
  readonly date: string;
  readonly amount: string;
  readonly purpose: string;
  readonly employer: string;
  readonly occupation: string;
  readonly otherCommittee: string;
  readonly memoCode: string;
  readonly memoText: string;
}

/** Position of an item in its file. */
export interface ItemPlace {
  /** From 1. */
  readonly line: number;
  /** Bytes up to the end of its line. */
  readonly endsAt: number;
}

export interface FilingSummary {
  readonly header: FilingHeader;
  readonly cover: FilingCover;
  /** False where the form is none that individuals' gifts stand in: nothing behind the form was read. */
  readonly isRead: boolean;
  readonly bytes: number;
  readonly lines: number;
  /** Lines by their kind, as SA17A or SB23. */
  readonly lineCounts: Readonly<Record<string, number>>;
  readonly reconciliation: Reconciliation;
}

/**
 * What the rows of a filing add up to, beside what its form states, in cents. Memo rows are in no sum. A difference is
 * stated less rows, 0 where they agree to the cent; null if the form has no such line.
 */
export interface Reconciliation {
  readonly itemizedRows: number;
  readonly itemizedCents: number;
  readonly itemizedSummaryCents: number | null;
  readonly itemizedDifferenceCents: number | null;
  /** Individuals' gifts that have no row; where the form has no line for them, what the rows leave of all gifts. */
  readonly unitemizedCents: number | null;
  /** 0 to 1 of all individuals' money. */
  readonly unitemizedShare: number | null;
  readonly refundRows: number;
  readonly refundCents: number;
  readonly refundSummaryCents: number | null;
  /** Refunds of 200 dollars or less in all need no row, so that a difference here is usual. */
  readonly refundDifferenceCents: number | null;
  readonly memoRows: number;
  /** Rows whose amount cannot be read; they are in no sum. */
  readonly unreadAmounts: number;
}

export type FilingErrorCode =
  | 'filing_header' // it does not begin as a filing does
  | 'filing_version' // written in a version whose columns are not known
  | 'filing_cut' // its end is missing
  | 'filing_incomplete' // it lacks rows that it states, and that the filing it would replace has
  | 'filing_layout'; // a line that no filing has

/** A file that cannot be read as an electronic filing; nothing of it is stored. */
export class FilingError extends DomainError {
  constructor(
    readonly code: FilingErrorCode,
    what: string,
    line: number | null = null,
  ) {
    super(`${line === null ? '' : `line ${line}: `}${what}`, { line });
  }
}
