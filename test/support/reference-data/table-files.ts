import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBBlobValue, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { buffer } from 'node:stream/consumers';
import { read, utils } from '@e965/xlsx';
import { ZipFile } from 'yazl';

export interface ParquetTable {
  readonly columns: readonly string[];
  /** Types as DuckDB names them. */
  readonly types: readonly string[];
  /** Values as text, null as ''. */
  readonly rows: readonly string[][];
}

/** Reads a Parquet file with DuckDB. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetTable> {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const duck = await DuckDBInstance.create();
  const connection = await duck.connect();
  try {
    writeFileSync(join(folder, 'a.parquet'), bytes);
    const file = `from '${folder}/a.parquet'`;
    const table = await connection.runAndReadAll(`select * ${file} limit 0`);
    // The client drops a byte order mark at the start of a text, so that texts are read as bytes
    const columns = table.columnNames();
    const types = table.columnTypes().map(String);
    const values = columns.map((name, at) => (types[at] === 'VARCHAR' ? `encode("${name}")` : `"${name}"`));
    const result = await connection.runAndReadAll(`select ${values.join()} ${file}`);
    return { columns, types, rows: result.getRows().map((row) => row.map(textOf)) };
  } finally {
    connection.closeSync();
    duck.closeSync();
    rmSync(folder, { recursive: true });
  }
}

function textOf(value: DuckDBValue): string {
  return value instanceof DuckDBBlobValue ? Buffer.from(value.bytes).toString() : String(value ?? '');
}

/** The rows of the first sheet with its header; an empty cell is null, a date is its number. */
export function readSheet(bytes: Uint8Array): (string | number | boolean | null)[][] {
  const book = read(bytes, { raw: true });
  return utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { header: 1, raw: true, defval: null });
}

/** A zip of these files, by name. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content as string), name);
  zip.end();
  return buffer(zip.outputStream);
}

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/**
 * A workbook with the `<row>` elements of each sheet, by sheet name.
 * @param more - additional or replaced parts
 */
export function workbookOf(
  sheets: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string | Buffer>> = {},
): Promise<Buffer> {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`;
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}"/>`).join('');
  const relations = names.map((_, at) => relation(`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`)).join('');
  return zipOf({
    '_rels/.rels': `<Relationships>${relation('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook><sheets>${list}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations}${relation('a', 'styles', '/xl/styles.xml')}${relation('b', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...more,
  });
}
