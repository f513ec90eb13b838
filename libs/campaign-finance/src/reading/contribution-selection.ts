import { type CivilDay, DomainError, type FecOffice } from '@donorlens/primitives';

/** The contributions of a file. An empty list is no condition; several values of one list are alternatives. */
export interface ContributionSelection {
  readonly candidateIds: readonly string[];
  readonly committeeIds: readonly string[];
  readonly cycles: readonly number[];
  /** Offices of the candidates that the committees are linked to; the presidency if empty or missing. */
  readonly offices?: readonly FecOffice[];
  /** Date range, inclusive at both ends. A row without a valid date is in no range. */
  readonly from: CivilDay | null;
  readonly to: CivilDay | null;
  /** The file starts after this row: its SUB_ID, or `CMTE_ID:FILE_NUM:TRAN_ID` if it has none. */
  readonly after: string | null;
  /** Maximum number of contributions. A contribution to several selected candidates has one line for each of them. */
  readonly limit: number | null;
}

/** No stored row or several rows match `after`. */
export class UnknownRowError extends DomainError {
  readonly code = 'unknown_row';

  constructor(readonly rows: number) {
    super(rows === 0 ? 'no such row is stored' : 'several stored rows have this name', { rows });
  }
}

/** Contributions of one committee in one cycle. An index has them side by side, in the order of the file. */
export interface ContributionPart {
  readonly cycle: number;
  readonly committeeId: string;
  /** CAND_ID of each line of a row: one line per selected candidate; without a selection, one line with all of them. */
  readonly candidateCells: readonly string[];
  /** The file starts after this row; null: at the first row. */
  readonly after: StoredRow | null;
}

/** Position of a contribution in the order of the file. The two keys are 64-bit numbers as text. */
export interface StoredRow {
  readonly cycle: number;
  readonly committeeId: string;
  readonly donorKey: string;
  readonly rowId: string;
}

/** Name of a row that the FEC has processed. */
const SUB_ID = /^[1-9]\d{0,18}$/;
/** Maximum bigint of Postgres. */
const MAX_SUB_ID = 2n ** 63n - 1n;
/** Name of a row of an electronic filing: CMTE_ID:FILE_NUM:TRAN_ID. FILE_NUM is empty if the number is unknown. */
export const FILED_ROW_NAME = /^(C\d{8}):(\d{0,18}):(.{0,100})$/s;

/** Whether a text has the form of a row's name. */
export const isRowName = (text: string): boolean =>
  (SUB_ID.test(text) && BigInt(text) <= MAX_SUB_ID) || FILED_ROW_NAME.test(text);
