import { digestOf } from '../engine/digest-of';
import { type StoredImport } from '../engine/stored-import';
import { type ImportReport } from '../import-report';

/** What an import of contributions keeps beside the columns that all imports have. */
export interface ContributionsDetail {
  /** Which committees' rows are kept: another set makes another import of the same file. */
  readonly committees: string;
  readonly otherCommittees: number;
  readonly conduitCopies: number;
  /** Lines that cannot be read, by code. */
  readonly rejectedBy: Readonly<Record<string, number>>;
  /** Rows kept by the cycle they are stored under: where rows of this file may stand. */
  readonly rowsByCycle: Readonly<Record<string, number>>;
  /** Rows kept whose date lies in the file's cycle. */
  readonly datedInCycle: number;
  /** Once it is done. */
  readonly report?: ImportReport;
}

export const newDetail = (committees: ReadonlySet<string>): ContributionsDetail => ({
  committees: digestOf(committees),
  otherCommittees: 0,
  conduitCopies: 0,
  rejectedBy: {},
  rowsByCycle: {},
  datedInCycle: 0,
});

/** Of an import of this kind, which was written with such a detail. */
export const detailOf = (stored: StoredImport): ContributionsDetail => stored.detail as unknown as ContributionsDetail;
