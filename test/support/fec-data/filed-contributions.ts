import { FIELD_SEPARATOR, ITCONT_COLUMNS } from '@donorlens/tabular';
import { type Pool } from 'pg';

export type FiledCells = Partial<Record<(typeof ITCONT_COLUMNS)[number], string>>;

export interface FiledContribution {
  readonly cycle: number;
  readonly rowId: string;
  readonly committeeId: string;
  readonly donorKey: string;
  readonly receivedOn: string | null;
  readonly cells: FiledCells;
  /** Other columns of the table, by name. */
  readonly columns?: Readonly<Record<string, string | number | boolean | Buffer | null>>;
}

/** The 21 cells of a synthetic row in the stored form. */
export const filedRecord = (cells: FiledCells): string =>
  ITCONT_COLUMNS.map((column) => cells[column] ?? '').join(FIELD_SEPARATOR);

const DEFAULTS = {
  donor_key_v2: '1',
  money_cents: 2500,
  counts_money: true,
  counts_donor: true,
  count_reason: 0,
  earmark: 0,
  state: '',
  file_num: null,
  tran_id: '',
  release_no: 1,
  file_cycle: null,
} as const;

/** Stores contributions without an import. */
export async function storeFiledContributions(pool: Pool, rows: readonly FiledContribution[]): Promise<void> {
  for (const row of rows) {
    await createCycle(pool, row.cycle);
    const values = {
      ...DEFAULTS,
      cycle: row.cycle,
      row_id: row.rowId,
      committee_id: row.committeeId,
      donor_key: row.donorKey,
      received_on: row.receivedOn,
      record: filedRecord(row.cells),
      ...row.columns,
    };
    const names = Object.keys(values);
    await pool.query(
      `insert into contribution (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(values),
    );
  }
}

export async function createCycle(pool: Pool, cycle: number): Promise<void> {
  await pool.query(
    `create table if not exists contribution_${cycle} partition of contribution for values in (${cycle})`,
  );
}

/** Generates many rows of one committee and cycle in the database, each with a different donor; row ids start at 1. */
export async function storeManyContributions(
  pool: Pool,
  { cycle, committeeId, rows }: { cycle: number; committeeId: string; rows: number },
): Promise<void> {
  await createCycle(pool, cycle);
  const cells = ITCONT_COLUMNS.map((column) => {
    if (column === 'CMTE_ID') return `'${committeeId}'`;
    if (column === 'NAME') return `'MADEUP' || n % 5000 || ', PAT Q'`;
    if (column === 'EMPLOYER') return `case n % 7 when 0 then 'ACME, INC.' else 'NONE' end`;
    if (column === 'CITY') return `'SPRINGFIELD'`;
    if (column === 'TRANSACTION_DT') return `'03012016'`;
    if (column === 'TRANSACTION_AMT') return `(n % 200)::text`;
    if (column === 'MEMO_TEXT') return `case n % 3 when 0 then '* EARMARKED CONTRIBUTION: SEE BELOW' else '' end`;
    return column === 'SUB_ID' ? 'n::text' : `'A'`;
  });
  await pool.query(
    `insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, received_on, money_cents,
       counts_money, counts_donor, count_reason, earmark, state, tran_id, age, gender, race, pct_white, pct_black, pct_api,
       pct_aian, pct_2prace, pct_hispanic, release_no, record)
     select $1, n, $2, n * 7919 % 1000003, 1, '2016-03-01', 2500, true, true, 0, 0, 'IL', '', 47, 'f', 'white', 7090, 2311,
       50, 89, 219, 240, 1, concat_ws(chr(28), ${cells.join(', ')})
     from generate_series(1, $3::bigint) n`,
    [cycle, committeeId, rows],
  );
  await pool.query('analyze contribution');
}
