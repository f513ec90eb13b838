import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Published } from './published';
import { type TableFile } from './table-files';
import { type TableQuery } from './table-query';
import { tableCsv, tableJson, type TableRow } from './table-text';

/** Changes when the same rows are written in another way: a tag never names two different files. */
const FORM = 1;
/** Shorter ones do not get shorter. */
const LEAST_GZIPPED = 1024;

/** One form in which a file leaves: its bytes and all headers that belong to them. */
export interface Variant {
  readonly etag: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** The same and the length, names and values in turn: what node writes without looking at it again. */
  readonly lines: readonly string[];
}

const variantOf = (etag: string, bytes: Buffer, headers: Variant['headers']): Variant => ({
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

const compress = promisify(gzip);

export async function tableBody(
  file: TableFile,
  { format, raw, canonical }: TableQuery,
  version: Published,
  rows: Iterable<TableRow>,
): Promise<TableBody> {
  const bytes = await (format === 'csv' ? tableCsv(file.columns, rows, raw) : tableJson(file.columns, rows));
  const tag = createHash('sha256')
    .update([FORM, file.madeFrom, version.id, version.at.toISOString(), file.path, canonical].join('\n'))
    .digest('base64url')
    .slice(0, 27);
  const headers = {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    'content-disposition': `attachment; filename=results.${format}`,
    etag: `"${tag}"`,
    'last-modified': version.at.toUTCString(),
    'cache-control': 'private, max-age=3600',
    vary: 'Accept, Accept-Encoding',
    'data-version': `${file.madeFrom}-${version.id}`,
  };
  return { plain: variantOf(headers.etag, bytes, headers), bytes: bytes.length };
}

export const isWorthGzip = ({ plain }: TableBody): boolean => plain.bytes.length >= LEAST_GZIPPED;

/** The body with its gzipped form beside it. Other bytes, hence another tag. */
export async function withGzip(body: TableBody): Promise<TableBody & { readonly gzipped: Variant }> {
  const bytes = await compress(body.plain.bytes);
  const etag = body.plain.etag.replace(/"$/, '-gzip"');
  const headers = { ...body.plain.headers, etag, 'content-encoding': 'gzip' };
  return { ...body, gzipped: variantOf(etag, bytes, headers), bytes: body.plain.bytes.length + bytes.length };
}
