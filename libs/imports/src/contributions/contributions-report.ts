import { type StoredImport, digestOf } from '../engine/stored-import';

/** Result of an import, for its report and the database. */
export interface ImportReport {
  readonly importId: string;
  /** `unchanged`: this very file was imported before; the numbers are those of that time. */
  readonly outcome: 'imported' | 'unchanged';
  readonly cycle: number;
  readonly linesRead: number;
  /** Those of committees of the imported offices, and of conduits for one. */
  readonly kept: number;
  readonly otherCommittees: number;
  readonly conduits: ConduitRows;
  /** Lines by why they cannot be read, and rows by why workers could not store them. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Lines whose SUB_ID was in the file before. */
  readonly duplicates: number;
  /** Stored rows that this file does not hold any more. */
  readonly removed: number;
  /** Rows of it that are left out, because an electronic filing in force amends theirs. */
  readonly amended: number;
  /** Rows of the file's cycle that stand in the database now. */
  readonly stored: number;
  readonly moneyCents: number;
  readonly donors: number;
  /** Committees of the stored rows that have no linkage in the cycle of these: the rows belong to no candidate. */
  readonly unlinked: readonly { readonly committeeId: string; readonly cycle: number }[];
}

/** Rows of conduits for committees of the imported offices. */
export interface ConduitRows {
  /** Among the lines kept. */
  readonly kept: number;
  /** Among the stored ones: those whose gift the committee reports too. */
  readonly matched: number;
  /** Among the stored ones: those that count as money. The others are memo items or zero. */
  readonly counted: number;
}

/** What an import of contributions keeps beside the columns that all imports have. */
export interface ContributionsDetail {
  /** Which committees' rows are kept: another set makes another import of the same file. */
  readonly committees: string;
  readonly otherCommittees: number;
  readonly conduitRows: number;
  /** Lines that cannot be read, by code. */
  readonly rejectedBy: Readonly<Record<string, number>>;
  /** Rows kept by the cycle they are stored under: where rows of this file may stand. */
  readonly rowsByCycle: Readonly<Record<string, number>>;
  /** Rows kept with a date in the file's cycle. */
  readonly datedInCycle: number;
  /** Release that all rows are enriched with; null where there was none. */
  readonly releaseId: string | null;
  /** Once it is done. */
  readonly ended?: Pick<ImportReport, 'rejected' | 'duplicates' | 'removed' | 'amended'>;
  /** After that. */
  readonly report?: ImportReport;
}

/** Earlier versions did not keep conduits' rows: their imports are others than those of the same file today. */
const KEEPS_CONDUITS = 'conduits';

export const newDetail = (committees: ReadonlySet<string>, releaseId: string | null): ContributionsDetail => ({
  committees: digestOf(new Set([...committees, KEEPS_CONDUITS])),
  otherCommittees: 0,
  conduitRows: 0,
  rejectedBy: {},
  rowsByCycle: {},
  datedInCycle: 0,
  releaseId,
});

/** Of an import of this kind, which was written with such a detail. */
export const detailOf = (stored: StoredImport): ContributionsDetail => stored.detail as unknown as ContributionsDetail;
