import { type ImportErrorCode } from '../import-error';
import { type FilingErrorCode, type Reconciliation } from './parser/filing';

/**
 * Result of the import of a filing.
 * - `imported`: its rows are stored, and it is the current version of its report
 * - `superseded`: a later amendment of the same report is stored; no row of the filing is stored
 * - `unchanged`: the same filing was imported before
 * - `passed_over`: it has no gift to a committee of the imported offices
 * - `failed`: it could not be read or stored; no row of it is stored
 */
export type FilingOutcome = 'imported' | 'superseded' | 'unchanged' | 'passed_over' | 'failed';

/** Facts of a filing that was read; all are absent if it could not be read. */
export interface FilingFacts {
  /** FEC file number, or a negative substitute. */
  readonly fileNumber: string;
  readonly form: string;
  readonly version: string;
  readonly reportCode: string;
  /** The committee that filed it. */
  readonly committeeId: string;
  readonly committeeName: string;
  /** Cycle of its coverage period. */
  readonly cycle: number;
  /**
   * Forms F3 and F3P: false if no candidate is linked to the committee in the cycle; then the rows belong to no
   * candidate.
   */
  readonly isLinked?: boolean;
  /** Number of lines by kind, such as SA17A. */
  readonly lines: Readonly<Record<string, number>>;
  readonly reconciliation: Reconciliation;
}

/** Facts of a filing whose rows are stored. */
export interface StoredFacts {
  readonly importId: string;
  /** The filing that it amends, and whether a version of the same report is stored, electronic or processed. */
  readonly amends?: { readonly fileNumber: string; readonly isKnown: boolean };
  /** Filings that it replaces. */
  readonly supersedes: readonly string[];
  /** A replaced filing with more rows, if the form does not state the total of its rows. */
  readonly replacedLarger?: { readonly fileNumber: string; readonly kept: number };
  /** The later amendment that is the current version. */
  readonly supersededBy?: string;
  readonly kept: number;
  /** Lines that could not be read and rows that workers could not store, by reject code. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Rows with the transaction id of another row of the filing; the last one is stored. */
  readonly duplicates: number;
  /** Rows of this filing that were removed because the FEC's processed file has them now. */
  readonly replacedByProcessed: number;
  /** Rows of the processed file that were removed because this filing amends them. */
  readonly amendedInProcessed: number;
}

export interface FilingReport extends Partial<FilingFacts>, Partial<StoredFacts> {
  readonly outcome: FilingOutcome;
  /** Path or URL; for a filing in a zip that of the zip, a slash, and the name of the member. */
  readonly file: string;
  /** Rows of the filing in the database after the import. */
  readonly stored?: number;
  readonly error?: { readonly code: FilingErrorCode | ImportErrorCode; readonly message: string };
  /** Messages for the operator. */
  readonly notes: readonly string[];
}

type Noted = Omit<FilingReport, 'notes'>;

/** Messages for the operator about a filing that was read. */
export const notesOf = (report: Noted): string[] =>
  [chain(report), linkage(report), rows(report), sums(report), share(report)].flat();

function chain({
  outcome,
  amends,
  supersedes = [],
  supersededBy,
  amendedInProcessed = 0,
  replacedLarger,
}: Noted): string[] {
  const notes: string[] = [];
  if (amends && !amends.isKnown) notes.push(`amends filing ${amends.fileNumber}, which was never imported`);
  if (supersedes.length > 0) notes.push(`replaces ${supersedes.join(', ')}`);
  if (amendedInProcessed > 0) notes.push(`replaces ${amendedInProcessed} rows of the processed file`);
  if (replacedLarger)
    notes.push(
      `has fewer rows than filing ${replacedLarger.fileNumber}, which had ${replacedLarger.kept}, and its form states no total`,
    );
  if (outcome === 'superseded')
    notes.push(`filing ${supersededBy ?? 'another one'} amends it and is the current version`);
  return notes;
}

const linkage = ({ isLinked, committeeId, cycle }: Noted): string[] =>
  isLinked === false
    ? [`no candidate is linked to ${committeeId ?? 'its committee'} in ${cycle}: its rows count in its own charts only`]
    : [];

function rows({ duplicates = 0, rejected = {}, replacedByProcessed = 0 }: Noted): string[] {
  const unread = Object.entries(rejected).map(([code, lines]) => `${lines} rows were not stored: ${code}`);
  const repeated = duplicates > 0 ? [`${duplicates} rows have the transaction id of another one`] : [];
  const processed = replacedByProcessed > 0 ? [`${replacedByProcessed} rows are in the processed file now`] : [];
  return [...unread, ...repeated, ...processed];
}

function sums({ reconciliation }: Noted): string[] {
  if (!reconciliation) return [];
  const { itemizedCents, itemizedSummaryCents, itemizedDifferenceCents } = reconciliation;
  const { refundCents, refundSummaryCents, refundDifferenceCents } = reconciliation;
  return [
    ...differing('itemized rows add up', itemizedCents, itemizedSummaryCents, itemizedDifferenceCents),
    ...differing('rows of refunds add up', refundCents, refundSummaryCents, refundDifferenceCents),
  ];
}

const differing = (what: string, rows: number, form: number | null, difference: number | null): string[] =>
  difference
    ? [`${what} to ${dollars(rows)}, its form states ${dollars(form ?? 0)}: difference ${dollars(difference)}`]
    : [];

function share({ reconciliation }: Noted): string[] {
  if (!reconciliation?.unitemizedCents || reconciliation.unitemizedShare === null) return [];
  const percent = (reconciliation.unitemizedShare * 100).toFixed(1);
  return [`${dollars(reconciliation.unitemizedCents)} (${percent}%) of individuals' gifts have no rows`];
}

export const dollars = (cents: number): string => (cents / 100).toFixed(2);
