import { type Pool, type PoolClient } from 'pg';
import { ContributionSnapshot, type StoreCounts } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { CELL, FIELD_SEPARATOR } from '@donorlens/tabular';
import { type ImportSpec } from '@donorlens/primitives';

type Cells = Partial<Record<keyof typeof CELL, string>>;

const GIFT: Cells = {
  CMTE_ID: 'C99000001',
  AMNDT_IND: 'N',
  RPT_TP: 'M4',
  TRANSACTION_TP: '15',
  ENTITY_TP: 'IND',
  NAME: 'SMITH, MARY A.',
  CITY: 'QUILLTON',
  STATE: 'VA',
  ZIP_CODE: '000011234',
  TRANSACTION_DT: '03012016',
  TRANSACTION_AMT: '250',
  TRAN_ID: 'T1',
  FILE_NUM: '900001',
  SUB_ID: '4000000000000000001',
};

const cellsOf = (cells: Cells, count: number): string =>
  Object.keys(CELL)
    .slice(0, count)
    .map((name) => cells[name as keyof Cells] ?? '')
    .join(FIELD_SEPARATOR);

/** A synthetic row of the bulk files as an import record. */
export const bulkRecord = (cells: Cells = {}): string => cellsOf({ ...GIFT, ...cells }, 21);

/** A synthetic row of an electronic filing. */
export const filingRecord = (cells: Cells = {}): string =>
  cellsOf({ ...GIFT, SUB_ID: '', LINE: 'SA17A', LAST: 'SMITH', FIRST: 'MARY', ...cells }, 26);

/** A stored row that is enriched again. */
export const storedRecord = (row: { row_id: string; file_cycle: number | null; record: string }): string =>
  [row.row_id, row.file_cycle ?? '', row.record].join(FIELD_SEPARATOR);

export const recordsOf = (records: readonly string[]): Buffer =>
  Buffer.from(records.map((record) => `${record}\n`).join(''));

export const filedSpec = (more: Partial<ImportSpec> = {}): ImportSpec => ({
  importId: '1',
  fileCycle: 2016,
  kind: 'contributions',
  fileNum: null,
  ...more,
});

/** The specification of a chunk of import records. */
export const filedChunk = (rows: number, filed: ImportSpec, firstRow = 1) => ({
  batchId: '0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10',
  type: 'contributions' as const,
  format: 'fec' as const,
  columns: null,
  mapping: {},
  minAge: null,
  firstRow,
  rows,
  importSpec: filed,
});

/** Stores rows like an import of a bulk file: a snapshot, then the difference. Rows that the snapshot lacks stay. */
export async function storeBulk(
  pool: Pool,
  releaseId: string,
  store: (client: PoolClient) => Promise<StoreCounts>,
): Promise<StoreCounts> {
  const snapshot = new ContributionSnapshot(2016);
  const { rejected } = await inTransaction(pool, async (client) => {
    await snapshot.create(client, releaseId);
    return store(client);
  });
  await snapshot.complete(pool);
  return inTransaction(pool, async (client) => {
    await snapshot.compare(client, [2014, 2016], []);
    const { rows } = await client.query<{ n: number }>('select count(*)::int as n from contribution_difference');
    await snapshot.apply(client, [2014, 2016]);
    await snapshot.remove(client);
    return { written: rows[0].n, rejected };
  });
}
