import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Published } from './table-reader';
import { type TableQuery } from './table-query';
import { type Pieces, tableCsv, tableJson } from './table-writer';

/** To be changed when the same rows are written in another way: an ETag never names two different files. */
const WRITER_VERSION = 1;
/** Shorter files do not get shorter by compression. */
const MIN_GZIP_BYTES = 1024;
/** A longer file is never whole in memory: it is written while it is sent. */
export const MAX_CACHED_BYTES = 8 * 1024 * 1024;

interface FileHead {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file in one content encoding. */
export interface CachedFile extends FileHead {
  readonly bytes: Buffer;
  /** Names and values of all headers and the length in one list, as `writeHead` takes them without another check. */
  readonly rawHeaders: readonly string[];
}

/** A file as it was made for one query and one version. */
export interface CachedBody {
  readonly plain: CachedFile;
  /** Made on the first request for it. */
  readonly gzipped?: CachedFile;
  /** Size of both. */
  readonly bytes: number;
}

/** A table whose file is too long for the cache: its rows are in memory, its bytes are not. */
export interface LongTable {
  /** names the version and the query */
  readonly key: string;
  readonly head: FileHead;
  /** The file from its beginning. */
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
  /** to be called once */
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
  const { table, format, raw } = query;
  const pieces = (): Pieces => (format === 'csv' ? tableCsv(table.columns, rows, raw) : tableJson(table.columns, rows));
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

const cachedFile = ({ etag, headers }: FileHead, bytes: Buffer): CachedFile => ({
  etag,
  bytes,
  headers,
  rawHeaders: [...Object.entries(headers).flat(), 'content-length', String(bytes.length)],
});

function headOf({ table, format, canonical }: TableQuery, version: Published): FileHead {
  const tag = createHash('sha256')
    .update([WRITER_VERSION, table.madeFrom, version.id, version.at.toISOString(), table.path, canonical].join('\n'))
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
    'data-version': `${table.madeFrom}-${version.id}`,
  };
  return { etag, headers };
}

/** The compressed bytes are other bytes, hence another tag. */
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
