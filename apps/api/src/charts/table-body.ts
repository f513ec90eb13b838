import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Published } from './table-reader';
import { type TableQuery } from './table-query';
import { type CsvCell, csvText, isTableFile, tableFile, withByteOrderMark } from '@donorlens/tabular';
import { yieldToEventLoop } from '../http/request-scheduling';
import { checkSheetRows } from '../http/problem';
import { cellKind, type TableColumns } from './columns/column';
import { MEDIA_TYPES } from './data-tables';

/** Change it when the same rows are written in another way, because an ETag must not name two different files. */
const WRITER_VERSION = 1;
/** Compression does not make shorter files smaller. */
const MIN_GZIP_BYTES = 1024;
/** A longer file is streamed, so it is never in memory as a whole. */
export const MAX_CACHED_BYTES = 8 * 1024 * 1024;

interface FileHead {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file in one content encoding. */
export interface CachedFile extends FileHead {
  readonly bytes: Buffer;
  /** Names and values of all headers, including the length, in one list that `writeHead` does not check again. */
  readonly rawHeaders: readonly string[];
}

/** A file for one query and one version. */
export interface CachedBody {
  readonly plain: CachedFile;
  /** Made on the first request for it. */
  readonly gzipped?: CachedFile;
  /** Size of both files. */
  readonly bytes: number;
}

/** A table whose file is too long for the cache: its rows are in memory, its bytes are not. */
export interface LongTable {
  /** names the version and the query */
  readonly key: string;
  readonly head: FileHead;
  /** Writes the file from its beginning. */
  readonly pieces: () => Pieces;
}

/** A long file in one content encoding. */
export interface LongFile extends FileHead {
  readonly gzip: boolean;
  /** @throws Problem 503 */
  open(): Promise<OpenFile>;
}

/** A long file that is sent to one client. */
export interface OpenFile {
  readonly pieces: () => Pieces;
  /** must be called exactly once */
  readonly close: () => void;
}

export const isLongTable = (body: CachedBody | LongTable): body is LongTable => 'pieces' in body;

export const isLongFile = (file: CachedFile | LongFile): file is LongFile => 'open' in file;

const compress = promisify(gzip);

/**
 * @param key - names the version and the query
 * @param rows - iterated once for each client if the file is long
 */
export async function makeBody(
  key: string,
  query: TableQuery,
  version: Published,
  rows: Iterable<unknown>,
): Promise<CachedBody | LongTable> {
  if (query.format === 'xlsx') checkSheetRows('xlsx', [...rows].length);
  const pieces = (): Pieces => tablePieces(query, rows);
  const head = headOf(query, version);
  const whole: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces()) {
    bytes += piece.length;
    if (bytes > MAX_CACHED_BYTES) return { key, head, pieces };
    whole.push(piece);
  }
  return { plain: cachedFile(head, Buffer.concat(whole)), bytes };
}

function tablePieces({ table: { columns }, format, raw, bom }: TableQuery, rows: Iterable<unknown>): Pieces {
  if (isTableFile(format)) return tableFile(format, tableCsv(columns, rows, true), (name) => cellKind(columns[name]));
  if (format !== 'csv') return tableJson(columns, rows);
  const csv = tableCsv(columns, rows, raw);
  return bom ? withByteOrderMark(csv) : csv;
}

const cachedFile = ({ etag, headers }: FileHead, bytes: Buffer): CachedFile => ({
  etag,
  bytes,
  headers,
  rawHeaders: [...Object.entries(headers).flat(), 'content-length', String(bytes.length)],
});

function headOf({ table, format, lists, canonical }: TableQuery, version: Published): FileHead {
  const tag = createHash('sha256')
    .update([WRITER_VERSION, table.madeFrom, version.id, version.at.toISOString(), table.path, canonical].join('\n'))
    .digest('base64url')
    .slice(0, 27);
  const etag = `"${tag}"`;
  const headers = {
    'content-type': format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES[format],
    'content-disposition': `attachment; filename=${lists.filename?.[0] ?? 'results'}.${format}`,
    etag,
    'last-modified': version.at.toUTCString(),
    'cache-control': 'private, max-age=3600',
    vary: 'Accept, Accept-Encoding',
    'data-version': `${table.madeFrom}-${version.id}`,
  };
  return { etag, headers };
}

/** The compressed file has different bytes, so it needs a different ETag. */
function gzippedHead({ etag, headers }: FileHead): FileHead {
  const tag = etag.replace(/"$/, '-gzip"');
  return { etag: tag, headers: { ...headers, etag: tag, 'content-encoding': 'gzip' } };
}

export const isWorthGzip = ({ plain }: CachedBody): boolean => plain.bytes.length >= MIN_GZIP_BYTES;

/** The body together with its gzipped form. */
export async function withGzip(body: CachedBody): Promise<CachedBody & { readonly gzipped: CachedFile }> {
  const gzipped = cachedFile(gzippedHead(body.plain), await compress(body.plain.bytes));
  return { ...body, gzipped, bytes: body.plain.bytes.length + gzipped.bytes.length };
}

export const longFile = ({ head }: LongTable, gzip: boolean, open: LongFile['open']): LongFile => ({
  ...(gzip ? gzippedHead(head) : head),
  gzip,
  open,
});

/** Rows written between two yields to the event loop, which takes some milliseconds. */
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
 * @param raw - omits the apostrophe that keeps a spreadsheet from running text as a formula
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
