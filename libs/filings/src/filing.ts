import { type CivilDay } from '@donorlens/primitives';
import { type Reconciliation } from './reconciliation';

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
  /** Line of the form: SA17A, SA18, SB28A, SA11AI. */
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

/** Where an item stands in its file. */
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
