import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { readParquet, readSheet } from '../../../../test/support/reference-data/table-files';
import { itWith, PYTHON } from '../../../../test/support/tools';
import { csvText } from '../csv-text';
import { type CellKind } from './file-column';
import { distinctNames } from './parquet-file';
import { escaped } from './sheet-file';
import { type TableFileFormat, tableFile } from './table-file';

const KINDS: readonly CellKind[] = ['text', 'text', 'whole', 'number', 'flag', 'date'];
const HEADER = ['NAME', 'FIPS', 'AGE', 'PCT', 'COUNTS', 'DAY'];
const ROWS = [
  ['SMITH, "AL"', '01001', '42', '96.5', 'true', '2016-11-08'],
  ['', '', '', '', '', ''],
  ["=SUM(A1) <&> é\t'x", '36061', '0', '-0.25', 'false', '1880-01-01'],
  [' padded ', '00000', '119', '100', 'true', '9999-12-31'],
];

async function* inPieces(rows: readonly (readonly string[])[], size: number): AsyncGenerator<Buffer | string, void> {
  yield `${HEADER.join(',')}\n`;
  for (let at = 0; at < rows.length; at += size)
    yield await Promise.resolve(Buffer.from(csvText(rows.slice(at, at + size), true)));
}

async function fileOf(format: TableFileFormat, rows: readonly (readonly string[])[], size = 2): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of tableFile(format, inPieces(rows, size), (_name, at) => KINDS[at])) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a table as Parquet', () => {
  it('has typed columns with the values of the CSV, as DuckDB reads them', async () => {
    const { types, rows } = await readParquet(await fileOf('parquet', ROWS));
    expect(types).toEqual(['VARCHAR', 'VARCHAR', 'INTEGER', 'DOUBLE', 'BOOLEAN', 'DATE']);
    expect(rows).toEqual(ROWS);
  });

  it('is written in row groups, and may be empty', async () => {
    const many = Array.from({ length: 40_000 }, (_, i) => [
      `NAME ${i % 7}`,
      '06037',
      String(i),
      `${i / 4}`,
      'true',
      '2020-02-29',
    ]);
    expect((await readParquet(await fileOf('parquet', many, 3_000))).rows).toEqual(many);
    expect((await readParquet(await fileOf('parquet', []))).rows).toEqual([]);
  });

  it('has each name once', () => {
    expect(distinctNames(['AGE', 'age', '', 'AGE', 'AGE_1', 'AGE'])).toEqual([
      'AGE',
      'age',
      'COLUMN_3',
      'AGE_1',
      'AGE_1_1',
      'AGE_2',
    ]);
  });
});

describe('a table as a spreadsheet', () => {
  it('has numbers, truth values and dates, and text that is never a formula', async () => {
    const [header, ...rows] = readSheet(await fileOf('xlsx', ROWS));
    expect(header).toEqual(HEADER);
    expect(rows).toEqual([
      ['SMITH, "AL"', '01001', 42, 96.5, true, 42_682],
      [null, null, null, null, null, null],
      ["=SUM(A1) <&> é\t'x", '36061', 0, -0.25, false, '1880-01-01'],
      [' padded ', '00000', 119, 100, true, 2_958_465],
    ]);
  });

  itWith('openpyxl')('opens in openpyxl, which pandas uses', async () => {
    const program =
      'import io, json, openpyxl, sys; book = openpyxl.load_workbook(io.BytesIO(sys.stdin.buffer.read())); ' +
      'print(json.dumps([[str(cell.value) for cell in row] for row in book.active]))';
    const { stdout, stderr } = spawnSync(PYTHON, ['-c', program], {
      input: await fileOf('xlsx', ROWS),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const [header, first] = JSON.parse(stdout) as string[][];
    expect(header).toEqual(HEADER);
    expect(first).toEqual(['SMITH, "AL"', '01001', '42', '96.5', 'True', '2016-11-08 00:00:00']);
  });

  it('is the same bytes for the same table', async () => {
    expect((await fileOf('xlsx', ROWS)).equals(await fileOf('xlsx', ROWS))).toBe(true);
  });

  it('escapes what XML cannot contain, and text that looks escaped', () => {
    expect(escaped('a\u0007b_x0007_<&\r\n')).toBe('a_x0007_b_x005F_x0007_&lt;&amp;_x000D_\n');
  });
});

it('Parquet files and workbooks have the text of every CSV', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 }).map((one) => Buffer.from(one).toString());
  const row = fc.tuple(text, text).map(([a, b]) => [a, b, '', '', '', '']);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      const parquet = (await readParquet(await fileOf('parquet', rows))).rows;
      const sheet = readSheet(await fileOf('xlsx', rows)).slice(1);
      const texts = rows.map((one) => one.slice(0, 2));
      expect(parquet.map((one) => one.slice(0, 2))).toEqual(texts);
      // SheetJS reads _x000D_ before a line feed as nothing
      expect(sheet.map((one) => one.slice(0, 2).map((cell) => cell ?? ''))).toEqual(
        texts.map((one) => one.map((cell) => cell.replaceAll('\r\n', '\n'))),
      );
    }),
    { numRuns: 20, examples: [[[['\ufeff', '\ufeffa', '', '', '', '']]]] },
  );
});

it('tableFile ends the CSV when its reader stops', async () => {
  const csv = inPieces(ROWS, 1);
  for await (const piece of tableFile('xlsx', csv, () => 'text')) if (piece.length > 0) break;
  expect(await csv.next()).toEqual({ done: true, value: undefined });
});
