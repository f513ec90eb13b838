import { type ImportErrorCode } from '../import-error';
import { type FilingErrorCode, type Reconciliation } from './parser/filing';

/**
 * What became of a filing.
 * - `imported`: its rows are stored, and it is the one in force of its report
 * - `superseded`: a later amendment of the same report is stored already; none of its rows are
 * - `unchanged`: this very filing was imported before
 * - `passed_over`: it holds nothing for a committee of the offices to import
 * - `failed`: it cannot be read, or could not be stored; nothing of it is
 */
export type FilingOutcome = 'imported' | 'superseded' | 'unchanged' | 'passed_over' | 'failed';

/** What is known of a filing once it was read; all absent where it was not. */
export interface FilingFacts {
  /** Its number, or a negative substitute. */
  readonly fileNumber: string;
  readonly form: string;
  readonly version: string;
  readonly reportCode: string;
  /** The committee that filed it. */
  readonly committeeId: string;
  readonly committeeName: string;
  /** Of its period. */
  readonly cycle: number;
  /** Of forms F3 and F3P: false where no candidate is linked to its committee in the cycle, so that its rows belong to no candidate. */
  readonly isLinked?: boolean;
  /** Lines by their kind, as SA17A. */
  readonly lines: Readonly<Record<string, number>>;
  readonly reconciliation: Reconciliation;
}

/** What is known once its rows are stored. */
export interface StoredFacts {
  readonly importId: string;
  /** The filing that it amends, and whether that one, or another of the same report, is stored, raw or processed. */
  readonly amends?: { readonly fileNumber: string; readonly isKnown: boolean };
  /** Filings that it takes the place of. */
  readonly supersedes: readonly string[];
  /** One of these that has more rows, where its form does not state what they should add up to. */
  readonly replacedLarger?: { readonly fileNumber: string; readonly kept: number };
  /** The one that is in force instead. */
  readonly supersededBy?: string;
  readonly kept: number;
  /** Lines by why they cannot be read. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Rows whose transaction id another row of the filing has too; the last one is stored. */
  readonly duplicates: number;
  /** Rows of filings that were removed because the FEC's processed file has them by now. */
  readonly replacedByProcessed: number;
  /** Rows of the processed file that were removed because this filing amends theirs. */
  readonly amendedInProcessed: number;
}

export interface FilingReport extends Partial<FilingFacts>, Partial<StoredFacts> {
  readonly outcome: FilingOutcome;
  /** Path or address; of one in a zip, that of the zip, a slash, and its own name. */
  readonly file: string;
  /** Rows that stand in the database now. */
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
  if (supersedes.length > 0) notes.push(`takes the place of ${supersedes.join(', ')}`);
  if (amendedInProcessed > 0) notes.push(`takes the place of ${amendedInProcessed} rows of the processed file`);
  if (replacedLarger)
    notes.push(
      `has fewer rows than filing ${replacedLarger.fileNumber}, which had ${replacedLarger.kept}, and its form states no total`,
    );
  if (outcome === 'superseded') notes.push(`filing ${supersededBy ?? 'another one'} amends it and is in force`);
  return notes;
}

const linkage = ({ isLinked, committeeId, cycle }: Noted): string[] =>
  isLinked === false
    ? [`no candidate is linked to ${committeeId ?? 'its committee'} in ${cycle}: its rows count in its own charts only`]
    : [];

function rows({ duplicates = 0, rejected = {}, replacedByProcessed = 0 }: Noted): string[] {
  const unread = Object.entries(rejected).map(([code, lines]) => `${lines} lines cannot be read: ${code}`);
  const repeated = duplicates > 0 ? [`${duplicates} rows have the transaction id of another one`] : [];
  const processed = replacedByProcessed > 0 ? [`${replacedByProcessed} rows stand in the processed file by now`] : [];
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
    ? [`${what} to ${dollars(rows)}, its form states ${dollars(form ?? 0)}: ${dollars(difference)} differ`]
    : [];

function share({ reconciliation }: Noted): string[] {
  if (!reconciliation?.unitemizedCents || reconciliation.unitemizedShare === null) return [];
  const percent = (reconciliation.unitemizedShare * 100).toFixed(1);
  return [`${dollars(reconciliation.unitemizedCents)} (${percent} %) of individuals' gifts have no rows`];
}

export const dollars = (cents: number): string => (cents / 100).toFixed(2);
