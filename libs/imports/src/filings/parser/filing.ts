import { type CivilDay, DomainError } from '@donorlens/primitives';

/** Header of a filing, before its form. */
export interface FilingHeader {
  readonly version: string;
  /** File number of the filing that this one amends; null if it amends none or does not name it. */
  readonly amends: string | null;
  /** The filer's number of the amendment; 0 if it is none. */
  readonly amendment: number;
}

/** The form: filer, coverage period, and sums in cents, which are null if the form has no such line. */
export interface FilingCover {
  /** `F3PN`, `F3XA`, ... */
  readonly form: string;
  readonly filer: string;
  readonly filerName: string;
  readonly reportCode: string;
  /** NaN if the form states none. */
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

/** One itemized receipt or refund as filed. Texts without a column in the version are empty. */
export interface FiledItem {
  /** Line of the form: SA17A, SA18, SB28A, SA11AI, SA12, SB20A. */
  readonly line: string;
  readonly transactionId: string;
  readonly entityType: string;
  readonly organization: string;
  readonly lastName: string;
  readonly firstName: string;
  readonly middleName: string;
  /** Title, such as MRS. */
  readonly prefix: string;
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
  /** Line number, from 1. */
  readonly line: number;
  /** Offset of the end of its line in the file, in bytes. */
  readonly endsAt: number;
}

export interface FilingSummary {
  readonly header: FilingHeader;
  readonly cover: FilingCover;
  /** False if the form has no gifts of individuals or the visitor excluded the filing: nothing after it was read. */
  readonly isRead: boolean;
  readonly bytes: number;
  readonly lines: number;
  /** Number of lines by kind, such as SA17A or SB23. */
  readonly lineCounts: Readonly<Record<string, number>>;
  readonly reconciliation: Reconciliation;
}

/**
 * Sums of the rows of a filing and the sums that its form states, in cents. Sums exclude memo rows. A difference is the
 * stated sum less that of the rows; null if the form has no such line.
 */
export interface Reconciliation {
  readonly itemizedRows: number;
  readonly itemizedCents: number;
  readonly itemizedSummaryCents: number | null;
  readonly itemizedDifferenceCents: number | null;
  /** Gifts of individuals without a row. If the form has no line for them: all gifts less those with rows. */
  readonly unitemizedCents: number | null;
  /** Share of all money of individuals, 0 to 1. */
  readonly unitemizedShare: number | null;
  readonly refundRows: number;
  readonly refundCents: number;
  readonly refundSummaryCents: number | null;
  /** Refunds of at most 200 dollars in total need no row, so a difference is normal. */
  readonly refundDifferenceCents: number | null;
  readonly memoRows: number;
  /** Rows with an unreadable amount; no sum includes them. */
  readonly unreadAmounts: number;
}

export type FilingErrorCode =
  | 'filing_header' // does not begin with the header of a filing
  | 'filing_version' // columns of its version are not known, or its amounts have no decimal points
  | 'filing_cut' // truncated
  | 'filing_incomplete' // rows do not add up to its total, and the filing that it would replace has more rows
  | 'filing_layout'; // a line, committee or period that a filing cannot have, or a file that changed meanwhile

/** A file that cannot be read as an electronic filing. No row of it is stored. */
export class FilingError extends DomainError {
  constructor(
    readonly code: FilingErrorCode,
    what: string,
    line: number | null = null,
  ) {
    super(`${line === null ? '' : `line ${line}: `}${what}`, { line });
  }
}
