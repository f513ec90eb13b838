import { type StoredImport, digestOf } from '../engine/stored-import';

/** Result of an import, for its report and the database. */
export interface ImportReport {
  readonly importId: string;
  /** `unchanged`: the same file was imported before; the report has the numbers of that import. */
  readonly outcome: 'imported' | 'unchanged';
  readonly cycle: number;
  readonly linesRead: number;
  /** Rows of committees of the imported offices, and rows of conduits for such a committee. */
  readonly kept: number;
  readonly otherCommittees: number;
  readonly conduits: ConduitRows;
  /** By reject code: lines that could not be read, and rows that workers could not store. */
  readonly rejected: Readonly<Record<string, number>>;
  /** Lines whose SUB_ID an earlier line of the file has. */
  readonly duplicates: number;
  /** Stored rows that were removed because the file no longer contains them. */
  readonly removed: number;
  /** Rows of the file that are left out because an electronic filing amends them. */
  readonly amended: number;
  /** Rows of the file's cycle in the database after the import. */
  readonly stored: number;
  readonly moneyCents: number;
  readonly donors: number;
  /** Committees of stored rows without a linkage in the cycle of the rows: these rows belong to no candidate. */
  readonly unlinked: readonly { readonly committeeId: string; readonly cycle: number }[];
}

/** Rows of conduits for committees of the imported offices. */
export interface ConduitRows {
  /** Rows of conduits among the lines kept. */
  readonly kept: number;
  /** Stored rows whose gift the recipient committee reports, too. */
  readonly matched: number;
  /** Stored rows that count as money. Rows that are neither matched nor counted are memo items or have the amount 0. */
  readonly counted: number;
}

/** State of an import of contributions in the `detail` column. */
export interface ContributionsDetail {
  /** Digest of the committees whose rows are kept. With other committees, the same file is a different import. */
  readonly committees: string;
  readonly otherCommittees: number;
  readonly conduitRows: number;
  /** Lines that could not be read, by reject code. */
  readonly rejectedBy: Readonly<Record<string, number>>;
  /** Rows kept, by the cycle that they are stored under. */
  readonly rowsByCycle: Readonly<Record<string, number>>;
  /** Rows kept with a date in the file's cycle. */
  readonly datedInCycle: number;
  /** Data release that all rows are enriched with; null if no release was active. */
  readonly releaseId: string | null;
  /** Set in the last transaction of the import. */
  readonly ended?: Pick<ImportReport, 'rejected' | 'duplicates' | 'removed' | 'amended'>;
  /** Set after the last transaction. */
  readonly report?: ImportReport;
}

/** Part of the digest: earlier versions left out rows of conduits, so their imports of the same file differ. */
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

/** The detail of an import of contributions. */
export const detailOf = (stored: StoredImport): ContributionsDetail => stored.detail as unknown as ContributionsDetail;
