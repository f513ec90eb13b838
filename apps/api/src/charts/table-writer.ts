import { type CsvCell, csvText } from '@donorlens/tabular';
import { yieldToEventLoop } from '../http/request-scheduling';
import { type TableColumns } from './columns/column';

/** Rows written between two yields to the event loop: some milliseconds. */
const ROWS_PER_YIELD = 4096;

/** A file piece by piece; other requests are served between two pieces. */
export type Pieces = AsyncGenerator<Buffer, void>;

/** Whole cents as dollars with two decimals: -2550 is `-25.50`. Exact, unlike division. */
export function dollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * A table as CSV: RFC 4180, LF, UTF-8, always with a header line.
 * @param raw - leaves out the guard before text that a spreadsheet would run as a formula
 */
export function tableCsv<Row>(columns: TableColumns<Row>, rows: Iterable<Row>, raw: boolean): Pieces {
  const all = Object.values(columns);
  const cellOf = (row: Row, at: number): CsvCell => {
    const cell = all[at].cell(row);
    return all[at].kind === 'dollars' && typeof cell === 'number' ? dollars(cell) : cell;
  };
  const textOf = (chunk: readonly Row[]): string =>
    csvText(
      chunk.map((row) => all.map((_, at) => cellOf(row, at))),
      raw,
    );
  return pieces(`${Object.keys(columns).join(',')}\n`, rows, textOf, '');
}

/** A table as JSON: `{"results":[…]}`, names in lower case; an empty number is null, an empty text is "". */
export function tableJson<Row>(columns: TableColumns<Row>, rows: Iterable<Row>): Pieces {
  const members = Object.entries(columns).map(([name, column]) => ({
    column,
    label: `${JSON.stringify(name.toLowerCase())}:`,
    isNumber: column.kind === 'whole' || column.kind === 'number' || column.kind === 'dollars',
  }));
  const valueOf = ({ column, isNumber }: (typeof members)[number], row: Row): string => {
    const cell = column.cell(row);
    if (!isNumber) return JSON.stringify(String(cell ?? ''));
    if (cell === null) return 'null';
    return String(column.kind === 'dollars' ? Number(cell) / 100 : Number(cell));
  };
  let separator = '';
  const objectOf = (row: Row): string => {
    const text = `${separator}{${members.map((member) => member.label + valueOf(member, row)).join(',')}}`;
    separator = ',\n';
    return text;
  };
  return pieces('{"results":[', rows, (chunk) => chunk.map(objectOf).join(''), ']}\n');
}

async function* pieces<Row>(
  begin: string,
  rows: Iterable<Row>,
  textOf: (chunk: readonly Row[]) => string,
  end: string,
): Pieces {
  let before = begin;
  let chunk: Row[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_PER_YIELD) continue;
    yield Buffer.from(before + textOf(chunk));
    before = '';
    chunk = [];
    await yieldToEventLoop();
  }
  yield Buffer.from(before + textOf(chunk) + end);
}
