import { type TrialService, forEachConcurrently, type Outcome } from './trial';
import { csvRows } from './csv-python';
import { guarded } from './strings';

const STARTS = ['=', '+', '-', '@', '\t', '\r', ' =', '  +', '\n=', ' \t@', '\t\t-', '\r\n='];
const RESTS = [
  '1+1',
  "cmd|' /C calc'!A0",
  'HYPERLINK("http://x.example","x")',
  'SUM(A1:A9)',
  'x',
  '"',
  ',',
  '=',
  '-2+3',
];
const FORMULAS = STARTS.flatMap((start) => RESTS.map((rest) => start + rest));
const HARMLESS = ['-5', '+1.5', '-.5e3', '1=1', "'=1", 'A-1', ' -7 ', '"=1"', 'x=1', '5-'];

/** Spreadsheets ignore blanks, tabs and line ends before a formula. */
const isFormula = (cell: string): boolean =>
  /^\s*[=+\-@]/.test(cell) && !/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(cell);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const VALUES = [...FORMULAS, ...HARMLESS];
const FIELDS = ['first_name', 'last_name', 'date', 'note', 'id'];
const rowOf = (value: string): string[] => [value, value, '2016-10-01', value, value];
/** Rows with an invalid date; the list of errors repeats them. */
const BAD_ROWS = FORMULAS.map((value) => [value, 'x', 'no date', value, value]);
const rows = [...VALUES.map(rowOf), ...BAD_ROWS];
const asObjects = (): object[] =>
  rows.map((row) => Object.fromEntries(row.map((value, at) => [at === 3 ? '=note' : FIELDS[at], value])));

const HEADER = FIELDS.map((name, at) => (at === 3 ? '=note' : name));
const SENT: readonly (readonly [type: string, body: () => string])[] = [
  ['text/csv', () => [HEADER, ...rows].map((row) => row.map(quoted).join(',')).join('\n')],
  ['text/csv', () => [HEADER, ...rows].map((row) => row.map(quoted).join(';')).join('\r\n')],
  [
    'application/x-ndjson',
    () =>
      asObjects()
        .map((one) => JSON.stringify(one))
        .join('\n'),
  ],
];

async function cellsOf(bench: TrialService, id: string, part: string): Promise<string[][]> {
  const [plain, raw] = await Promise.all(
    ['format=csv', 'format=csv&raw=true'].map(async (query) => csvRows(await bench.results(id, query, part))),
  );
  return [plain.flat(), raw.flat()];
}

/** No cell of a CSV is a formula for a spreadsheet, and the sent value can be derived from it. */
export async function formulas(bench: TrialService): Promise<Outcome> {
  let cells = 0;
  const { faults } = await forEachConcurrently(SENT, 1, async ([type, body]) => {
    const { id, answer } = await bench.batch(body(), type, 'type=contributions');
    if (id === null) return [`${type}: ${answer.status} ${answer.body.toString().slice(0, 200)}`];
    const found: string[] = [];
    for (const part of ['results', 'errors']) {
      const [plain, raw] = await cellsOf(bench, id, part);
      cells += plain.length;
      if (plain.length !== raw.length) found.push(`${part}: ${plain.length} cells, ${raw.length} raw ones`);
      found.push(
        ...plain.filter(isFormula).map((cell) => `${type}, ${part}: the cell ${JSON.stringify(cell)} is a formula`),
      );
      found.push(
        ...plain
          .filter((cell, at) => cell !== guarded(raw[at]))
          .map((cell) => `${type}, ${part}: ${JSON.stringify(cell)} does not match its raw value`),
      );
      if (part === 'results')
        for (const value of VALUES) if (!raw.includes(value)) found.push(`${JSON.stringify(value)} is lost`);
    }
    return found;
  });
  return { what: 'cells that a spreadsheet would evaluate', looked: cells, faults };
}
