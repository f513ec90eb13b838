import { type CivilDay, DomainError } from '@donorlens/primitives';

/** Which contributions are asked for. An empty list is no condition; several values of one list are alternatives. */
export interface ContributionSelection {
  readonly candidateIds: readonly string[];
  readonly committeeIds: readonly string[];
  readonly cycles: readonly number[];
  /** Both inclusive; a row without a valid date is in no range. */
  readonly from: CivilDay | null;
  readonly to: CivilDay | null;
  /** Go on behind this row: its SUB_ID, or `CMTE_ID:FILE_NUM:TRAN_ID` of a row that has none. */
  readonly after: string | null;
  readonly limit: number | null;
}

/** The row to go on behind cannot be told. */
export class UnknownRowError extends DomainError {
  readonly code = 'unknown_row';

  constructor(readonly rows: number) {
    super(rows === 0 ? 'no such row is stored' : 'several rows are called so', { rows });
  }
}
