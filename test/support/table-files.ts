import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { read, utils } from '@e965/xlsx';

export interface ParquetTable {
  readonly columns: readonly string[];
  /** Types as DuckDB names them. */
  readonly types: readonly string[];
  /** Values as text, null as ''. */
  readonly rows: readonly string[][];
}

/** A Parquet file as DuckDB reads it. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetTable> {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const duck = await DuckDBInstance.create();
  const connection = await duck.connect();
  try {
    writeFileSync(join(folder, 'a.parquet'), bytes);
    const result = await connection.runAndReadAll(`select * from '${folder}/a.parquet'`);
    const rows = result.getRows().map((row) => row.map((cell) => String(cell ?? '')));
    return { columns: result.columnNames(), types: result.columnTypes().map(String), rows };
  } finally {
    connection.closeSync();
    duck.closeSync();
    rmSync(folder, { recursive: true });
  }
}

/** The rows of the first sheet, with its header; an empty cell is null, a date its number. */
export function readSheet(bytes: Uint8Array): (string | number | boolean | null)[][] {
  const book = read(bytes, { raw: true });
  return utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { header: 1, raw: true, defval: null });
}
