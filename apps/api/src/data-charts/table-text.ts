import { csvRecord } from '@donorlens/primitives';
import { nextTurn } from '../http/turns';
import { type Columns } from './columns/column';

/** Cells of one line in the order of its columns; '' is empty. */
export type TableRow = readonly (string | number)[];

/** Lines made between two looks at other requests: some milliseconds. */
const LINES_AT_ONCE = 4096;

/** A file piece by piece, with looks at other requests in between. */
export type Pieces = AsyncGenerator<Buffer, void>;

/** A file as CSV: RFC 4180, LF, UTF-8, a header line always. */
export function tableCsv(columns: Columns, rows: Iterable<TableRow>, raw: boolean): Pieces {
  return pieces(`${Object.keys(columns).join(',')}\n`, rows, (row) => `${csvRecord(row, raw)}\n`, '');
}

/** The same as JSON: `{"results":[…]}`, columns in lower case, numbers as numbers, those that are empty null. */
export function tableJson(columns: Columns, rows: Iterable<TableRow>): Pieces {
  const fields = Object.entries(columns).map(([name, { kind }]) => ({
    label: `${JSON.stringify(name.toLowerCase())}:`,
    isNumber: kind === 'whole' || kind === 'number' || kind === 'dollars',
  }));
  let between = '';
  const objectOf = (row: TableRow): string => {
    const members = fields.map(({ label, isNumber }, at) => {
      const cell = row[at];
      if (!isNumber) return label + JSON.stringify(String(cell));
      return label + (cell === '' ? 'null' : String(Number(cell)));
    });
    const text = `${between}{${members.join(',')}}`;
    between = ',\n';
    return text;
  };
  return pieces('{"results":[', rows, objectOf, ']}\n');
}

async function* pieces(
  begin: string,
  rows: Iterable<TableRow>,
  textOf: (row: TableRow) => string,
  end: string,
): Pieces {
  let text = begin;
  let lines = 0;
  for (const row of rows) {
    text += textOf(row);
    if (++lines % LINES_AT_ONCE > 0) continue;
    yield Buffer.from(text);
    text = '';
    await nextTurn();
  }
  yield Buffer.from(text + end);
}
