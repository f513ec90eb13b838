import { type PoolClient } from 'pg';
import { rowIdOfFiled } from '../row-id';
import { UnknownRowError } from './contribution-selection';

/** Where a contribution stands in the order of the file. The two keys are 64-bit numbers as text. */
export interface StoredRow {
  readonly cycle: number;
  readonly committeeId: string;
  readonly donorKey: string;
  readonly rowId: string;
}

interface Row {
  readonly cycle: number;
  readonly committee_id: string;
  readonly donor_key: string;
  readonly row_id: string;
}

const COLUMNS = 'cycle, committee_id, donor_key::text, row_id::text';
/** A row that the FEC has processed is called by its SUB_ID. */
const SUB_ID = /^[1-9]\d{0,18}$/;
/** The largest number that the database holds. */
const MOST_SUB_ID = 2n ** 63n - 1n;
/** One of an electronic filing by what it says itself; the number of the filing may be unknown. */
const FILED = /^(C\d{8}):(\d{0,18}):(.{0,100})$/s;

export const isRowName = (text: string): boolean =>
  (SUB_ID.test(text) && BigInt(text) <= MOST_SUB_ID) || FILED.test(text);

/**
 * The row of that name.
 * @param name   a SUB_ID, or `CMTE_ID:FILE_NUM:TRAN_ID`
 * @param cycles those it may be in
 * @throws UnknownRowError where there is none, or where several of filings without a number are called so
 */
export async function storedRow(client: PoolClient, name: string, cycles: readonly number[]): Promise<StoredRow> {
  const [, committeeId, fileNum, tranId] = FILED.exec(name) ?? [];
  const { rows } =
    fileNum === ''
      ? await client.query<Row>(
          `select ${COLUMNS} from contribution
           where cycle = any ($1) and row_id < 0 and file_num < 0 and tran_id = $2
             and starts_with(record, $3 || chr(28))`,
          [cycles, tranId, committeeId],
        )
      : await client.query<Row>(`select ${COLUMNS} from contribution where cycle = any ($1) and row_id = $2`, [
          cycles,
          fileNum === undefined ? name : rowIdOfFiled(committeeId, fileNum, tranId),
        ]);
  if (rows.length !== 1) throw new UnknownRowError(rows.length);
  const [row] = rows;
  return { cycle: row.cycle, committeeId: row.committee_id, donorKey: row.donor_key, rowId: row.row_id };
}
