import { type FilingErrorCode, type Reconciliation } from '@donorlens/filings';
import { type ImportErrorCode } from '../import-error';

/**
 * What became of a filing.
 * - `imported`: its rows are stored, and it is the one in force of its report
 * - `superseded`: a later amendment of the same report is stored already; none of its rows are
 * - `unchanged`: this very filing was imported before
 * - `passed_over`: it holds nothing for a presidential committee
 * - `failed`: it cannot be read, or could not be stored; nothing of it is
 */
export type FilingOutcome = 'imported' | 'superseded' | 'unchanged' | 'passed_over' | 'failed';

export interface FilingReport {
  /** Address or name; of one in a zip, that of the zip, a slash, and its own. */
  readonly source: string;
  readonly outcome: FilingOutcome;
  /** In words, where it was passed over or failed. */
  readonly reason?: string;
  readonly errorCode?: FilingErrorCode | ImportErrorCode;
  /** Number, or its negative stand-in; absent where the filing was not read. */
  readonly fileNum?: string;
  readonly importId?: string;
  readonly form?: string;
  readonly version?: string;
  readonly filer?: string;
  readonly filerName?: string;
  readonly reportCode?: string;
  /** Cycle of its period. */
  readonly cycle?: number;
  /** Of a form F3P: false where no candidate is linked to its committee yet, so that its rows are nobody's. */
  readonly isLinked?: boolean;
  /** The filing it amends, and whether that one, or another of its report, is stored. */
  readonly amends?: { readonly fileNum: string; readonly isKnown: boolean };
  /** Filings that it takes the place of. */
  readonly supersedes?: readonly string[];
  readonly kept?: number;
  /** Lines by why they cannot be read. */
  readonly rejected?: Readonly<Record<string, number>>;
  /** Rows whose transaction id another row of the filing has too; the last one is stored. */
  readonly duplicates?: number;
  /** Rows that stand in the database now. */
  readonly stored?: number;
  /** Rows of filings that were removed because the FEC's processed file has them by now. */
  readonly replacedByProcessed?: number;
  readonly reconciliation?: Reconciliation;
}

export interface FilingsReport {
  readonly filings: readonly FilingReport[];
  readonly counts: Readonly<Record<FilingOutcome, number>>;
}

export function filingsReport(filings: readonly FilingReport[]): FilingsReport {
  const counts = { imported: 0, superseded: 0, unchanged: 0, passed_over: 0, failed: 0 };
  for (const { outcome } of filings) counts[outcome]++;
  return { filings, counts };
}
