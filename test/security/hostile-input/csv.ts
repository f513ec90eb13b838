import { type Answer } from '../generated-requests/request-sender';
import { type TrialService, forEachConcurrently, type Outcome, refusalFaults } from './trial';
import { csvRows } from './csv-python';
import { Comparison } from './strings';

/** A file and the expected rows with the caller's columns; null: refused. */
interface CsvCase {
  readonly what: string;
  readonly file: Buffer | string;
  readonly rows: readonly (readonly string[])[] | null;
  /** Expected status of the refusal. */
  readonly status?: number;
  /** The preview reads no complete row of it. */
  readonly outgrowsPreview?: true;
}

const HEAD = 'first_name,date,note';
const file = (body: string): string => `${HEAD}\n${body}`;
const row = (note: string): string[] => ['Mary', '2016-10-01', note];
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const columns = (count: number): string[] => Array.from({ length: count }, (_, at) => `c${at}`);
const wide = (count: number): string =>
  `first_name,date,${columns(count - 2).join(',')}\nMary,2016-10-01,${columns(count - 2).join(',')}\n`;
const MEGABYTE = 'lorem, "ipsum"\n'.repeat(70_000);

const QUOTES: readonly CsvCase[] = [
  { what: 'every field quoted', file: '"first_name","date","note"\n"Mary","2016-10-01","x"\n', rows: [row('x')] },
  { what: 'two quotes for one', file: file('Mary,2016-10-01,"say ""hi"""\n'), rows: [row('say "hi"')] },
  { what: 'nothing but quotes', file: file('Mary,2016-10-01,""""""""\n'), rows: [row('"""')] },
  { what: 'an empty quoted field', file: file('Mary,2016-10-01,""\n'), rows: [row('')] },
  { what: 'a quote within a field', file: file('Mary,2016-10-01,5" disk\n'), rows: [row('5" disk')] },
  { what: 'text behind a closing quote', file: file('Mary,2016-10-01,"a"b\n'), rows: [row('ab')] },
  { what: 'a delimiter in quotes', file: file('Mary,2016-10-01,"a,b;c|d\te"\n'), rows: [row('a,b;c|d\te')] },
  { what: 'a quote never closed', file: file('Mary,2016-10-01,"open\nMary,2016-10-01,x\n'), rows: null },
  { what: 'a header quote never closed', file: '"first_name,date\nMary,2016-10-01\n', rows: null },
];

const LINES: readonly CsvCase[] = [
  { what: 'line feeds in a field', file: file('Mary,2016-10-01,"a\nb\n\nc"\n'), rows: [row('a\nb\n\nc')] },
  { what: 'CRLF in a field', file: file('Mary,2016-10-01,"a\r\nb"\r\n'), rows: [row('a\r\nb')] },
  { what: 'CRLF', file: `${HEAD}\r\nMary,2016-10-01,x\r\nMary,2016-10-01,y\r\n`, rows: [row('x'), row('y')] },
  { what: 'CR alone', file: `${HEAD}\rMary,2016-10-01,x\rMary,2016-10-01,y\r`, rows: [row('x'), row('y')] },
  { what: 'LF and CRLF mixed', file: `${HEAD}\nMary,2016-10-01,x\r\nMary,2016-10-01,y\n`, rows: [row('x'), row('y')] },
  { what: 'CRLF, then LF', file: `${HEAD}\r\nMary,2016-10-01,x\nMary,2016-10-01,y`, rows: [row('x'), row('y')] },
  { what: 'a bare CR in a line', file: file('Mary,2016-10-01,a\rb\n'), rows: [row('a\rb')] },
  {
    what: 'empty lines',
    file: `\n\n${HEAD}\n\nMary,2016-10-01,x\n\r\n\nMary,2016-10-01,y\n\n`,
    rows: [row('x'), row('y')],
  },
  { what: 'no line end at the end', file: file('Mary,2016-10-01,x'), rows: [row('x')] },
  { what: 'a field of blanks', file: file('Mary,2016-10-01,   \n'), rows: [row('   ')] },
];

const SHAPES: readonly CsvCase[] = [
  { what: 'too few fields', file: file('Mary,2016-10-01\nMary\n'), rows: [row(''), ['Mary', '', '']] },
  { what: 'too many fields', file: file('Mary,2016-10-01,x,y,z\n'), rows: [row('x')] },
  {
    what: 'a field of 1 MB',
    file: file(`Mary,2016-10-01,"${MEGABYTE.replaceAll('"', '""')}"\n`),
    rows: [row(MEGABYTE)],
    outgrowsPreview: true,
  },
  { what: 'a record of 9 MB', file: file(`Mary,2016-10-01,${'x'.repeat(9_000_000)}\n`), rows: null },
  { what: '1,000 columns', file: wide(1000), rows: [['Mary', '2016-10-01', ...columns(998)]] },
  { what: '10,000 columns', file: wide(10_000), rows: null },
  { what: 'a header of 300 kB', file: `first_name,date,${'x'.repeat(300_000)}\nMary,2016-10-01,x\n`, rows: null },
  { what: 'nothing', file: '', rows: null },
  { what: 'nothing but line ends', file: '\n\r\n\n', rows: null },
  { what: 'a header alone', file: `${HEAD}\n`, rows: null },
  { what: 'a header without an end', file: HEAD, rows: null },
  { what: 'a used column twice', file: 'first_name,first_name,date\nMary,Mary,2016-10-01\n', rows: null },
  {
    what: 'another column twice',
    file: 'first_name,date,x,x\nMary,2016-10-01,1,2\n',
    rows: [['Mary', '2016-10-01', '1', '2']],
  },
  {
    what: 'columns without a name',
    file: 'first_name,date,,\nMary,2016-10-01,1,2\n',
    rows: [['Mary', '2016-10-01', '1', '2']],
  },
  { what: 'columns named like ours', file: 'first_name,date,AGE\nMary,2016-10-01,x\n', rows: [row('x')] },
];

const DELIMITERS: readonly CsvCase[] = [';', '\t', '|'].flatMap((delimiter) => {
  const of = (...fields: string[]): string => `${fields.join(delimiter)}\n`;
  return [
    {
      what: `${JSON.stringify(delimiter)} between fields`,
      file: of('first_name', 'date', 'note') + of('Mary', '2016-10-01', 'a,b'),
      rows: [row('a,b')],
    },
    {
      what: `${JSON.stringify(delimiter)} and commas in the header`,
      file: of('first_name', 'date', '"a,b,c,d,e"') + of('Mary', '2016-10-01', '"x""y"'),
      rows: [row('x"y')],
    },
  ];
});

const ENCODINGS: readonly CsvCase[] = [
  { what: 'a byte order mark', file: `\ufeff${file('Mary,2016-10-01,é\n')}`, rows: [row('é')] },
  { what: 'Latin-1', file: Buffer.from(file('Mary,2016-10-01,Jos\xe9\n'), 'latin1'), rows: [row('José')] },
  { what: 'windows-1252', file: Buffer.from(file('Mary,2016-10-01,\x93x\x94 \x80\n'), 'latin1'), rows: [row('“x” €')] },
  {
    what: 'UTF-8 and Latin-1, line by line',
    file: Buffer.concat([Buffer.from(file('Mary,2016-10-01,é\n')), Buffer.from('Mary,2016-10-01,\xe9\n', 'latin1')]),
    rows: [row('é'), row('é')],
  },
  { what: 'UTF-16', file: utf16(file('Mary,2016-10-01,\u0161\n')), rows: [row('\u0161')] },
  { what: 'UTF-16, the other way', file: utf16(file('Mary,2016-10-01,x\n')).swap16(), rows: [row('x')] },
  { what: 'UTF-16 without a mark', file: Buffer.from(file('Mary,2016-10-01,x\n'), 'utf16le'), rows: null },
  {
    what: 'a NUL in a row',
    file: file('Mary,2016-10-01,a\0b\nMary,2016-10-01,x\n'),
    rows: [row('a\u2400b'), row('x')],
  },
  { what: 'a NUL in the header', file: 'first_name,date,a\0b\nMary,2016-10-01,x\n', rows: null },
  {
    what: 'binary data',
    file: Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) & 0xff)),
    rows: null,
  },
];

const CSV_CASES = [...QUOTES, ...LINES, ...SHAPES, ...DELIMITERS, ...ENCODINGS];

/** The preview of a refused file may succeed, because it reads only the beginning. */
function previewFaults(answer: Answer, { what, rows, status = 400, outgrowsPreview }: CsvCase): string[] {
  if (answer.status === 200 && !outgrowsPreview) return [];
  return refusalFaults(`${what}, preview`, answer, rows === null || outgrowsPreview ? [status] : []);
}

/** Compares the caller's columns of the results with the sent file, through preview and batch. */
async function checkCase(bench: TrialService, comparison: Comparison, csvCase: CsvCase): Promise<string[]> {
  const { what, file: sent, rows, status = 400 } = csvCase;
  const preview = await bench.post('/enrich/v1/batches/preview?type=age_gender', sent, 'text/csv');
  const shown = previewFaults(preview, csvCase);
  const { id, answer } = await bench.batch(sent, 'text/csv', 'type=age_gender');
  if (rows === null) return [...shown, ...refusalFaults(what, answer, [status])];
  if (id === null) return [...shown, `${what}: ${answer.status} ${answer.body.toString().slice(0, 200)}`];
  const got = csvRows(await bench.results(id, 'format=csv&raw=true')).slice(1);
  const widths = got
    .filter((one) => one.length !== rows[0].length + 2)
    .map((one) => `${what}: a row of ${one.length} fields`);
  comparison.rows(
    what,
    rows,
    got.map((one) => one.slice(0, rows[0].length)),
  );
  await bench.results(id, 'format=json');
  await bench.results(id, 'format=csv', 'errors');
  return [...shown, ...widths];
}

/**
 * CSV with unusual quotes, line ends, shapes, delimiters and encodings: each value is returned, or the file is refused
 * with a message.
 */
export async function hostileCsv(bench: TrialService): Promise<Outcome> {
  const comparison = new Comparison();
  const { looked, faults } = await forEachConcurrently(CSV_CASES, 4, (one) => checkCase(bench, comparison, one));
  return {
    what: `unusual CSV: ${looked} files, compared with their results`,
    looked: comparison.looked,
    faults: [...faults, ...comparison.faults],
  };
}
