import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Published } from './published';
import { type TableFile } from './table-files';
import { type TableQuery } from './table-query';
import { type Pieces, tableCsv, tableJson, type TableRow } from './table-text';

/** Changes when the same rows are written in another way: a tag never names two different files. */
const FORM = 1;
/** Shorter ones do not get shorter. */
const LEAST_GZIPPED = 1024;
/** A file of more bytes is never whole in memory: it is written while it leaves. */
export const MOST_WHOLE = 8 * 1024 * 1024;

/** What is said of a file before its bytes. */
interface Head {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One form in which a file leaves: its bytes and all headers that belong to them. */
export interface Variant extends Head {
  readonly bytes: Buffer;
  /** The same and the length, names and values in turn: what node writes without looking at it again. */
  readonly lines: readonly string[];
}

const variantOf = ({ etag, headers }: Head, bytes: Buffer): Variant => ({
  etag,
  bytes,
  headers,
  lines: [...Object.entries(headers).flat(), 'content-length', String(bytes.length)],
});

/** A file as it was made for one question to one version. */
export interface TableBody {
  readonly plain: Variant;
  /** Made when it is first asked for. */
  readonly gzipped?: Variant;
  /** Of both together. */
  readonly bytes: number;
}

/** A long file for one client. */
export interface Reading {
  readonly pieces: () => Pieces;
  /** to be called once */
  readonly end: () => void;
}

/** One form of a file that is too long to be kept. */
export interface LongVariant extends Head {
  readonly gzip: boolean;
  /** The file before it is gzipped. @throws Problem 503 */
  read(): Reading;
}

/** A file of which only the rows are there. */
export interface LongTable {
  /** names the version and the question */
  readonly key: string;
  readonly head: Head;
  /** The file from its beginning. */
  readonly pieces: () => Pieces;
}

export const isLong = (table: TableBody | LongTable): table is LongTable => 'pieces' in table;

export const isLongVariant = (variant: Variant | LongVariant): variant is LongVariant => 'read' in variant;

const compress = promisify(gzip);

/**
 * @param key names the version and the question
 * @param rows are read again for each who asks where the file is long
 */
export async function tableBody(
  key: string,
  file: TableFile,
  query: TableQuery,
  version: Published,
  rows: Iterable<TableRow>,
): Promise<TableBody | LongTable> {
  const pieces = (): Pieces =>
    query.format === 'csv' ? tableCsv(file.columns, rows, query.raw) : tableJson(file.columns, rows);
  const head = headOf(file, query, version);
  const whole: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces()) {
    bytes += piece.length;
    if (bytes > MOST_WHOLE) return { key, head, pieces };
    whole.push(piece);
  }
  return { plain: variantOf(head, Buffer.concat(whole)), bytes };
}

function headOf(file: TableFile, { format, canonical }: TableQuery, version: Published): Head {
  const tag = createHash('sha256')
    .update([FORM, file.madeFrom, version.id, version.at.toISOString(), file.path, canonical].join('\n'))
    .digest('base64url')
    .slice(0, 27);
  const etag = `"${tag}"`;
  const headers = {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    'content-disposition': `attachment; filename=results.${format}`,
    etag,
    'last-modified': version.at.toUTCString(),
    'cache-control': 'private, max-age=3600',
    vary: 'Accept, Accept-Encoding',
    'data-version': `${file.madeFrom}-${version.id}`,
  };
  return { etag, headers };
}

/** Other bytes, hence another tag. */
function gzippedHead({ etag, headers }: Head): Head {
  const tag = etag.replace(/"$/, '-gzip"');
  return { etag: tag, headers: { ...headers, etag: tag, 'content-encoding': 'gzip' } };
}

export const isWorthGzip = ({ plain }: TableBody): boolean => plain.bytes.length >= LEAST_GZIPPED;

/** The body with its gzipped form beside it. */
export async function withGzip(body: TableBody): Promise<TableBody & { readonly gzipped: Variant }> {
  const bytes = await compress(body.plain.bytes);
  return {
    ...body,
    gzipped: variantOf(gzippedHead(body.plain), bytes),
    bytes: body.plain.bytes.length + bytes.length,
  };
}

export const longVariant = ({ head }: LongTable, gzip: boolean, read: LongVariant['read']): LongVariant => ({
  ...(gzip ? gzippedHead(head) : head),
  gzip,
  read,
});
