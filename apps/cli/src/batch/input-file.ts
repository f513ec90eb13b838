import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { type Readable, Transform, pipeline } from 'node:stream';
import { createGzip, gunzipSync, constants } from 'node:zlib';
import { TABLE_FILE_TYPES, asUtf8 } from '@donorlens/tabular';
import { usageError, codeOf } from '../exit-code';
import { type Upload } from './service-client';

export const FORMATS = ['csv', 'itcont', 'ndjson', 'json'] as const;
/** The user cannot choose `xlsx`; it is always detected. */
export type InputFormat = (typeof FORMATS)[number] | 'xlsx';

/** An input file and its format. */
export interface InputFile {
  readonly path: string;
  readonly bytes: number;
  readonly isGzipped: boolean;
  readonly format: InputFormat;
  /** First line of a CSV file, which may be cut off; null if the file has no header. */
  readonly header: string | null;
}

const CONTENT_TYPE: Record<InputFormat, string> = {
  xlsx: TABLE_FILE_TYPES.xlsx,
  csv: 'text/csv',
  itcont: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
};

/** Bytes read to detect the format; enough for the first line of every known format. */
const HEAD_BYTES = 4096;

/** @throws CliError with exit code 2 if the file cannot be read or has an unsupported format */
export function inputFile(path: string, format?: InputFormat): InputFile {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const stat = fstatSync(descriptor);
      if (stat.isDirectory()) throw usageError(`${path} is a folder, not a file`);
      const head = Buffer.alloc(HEAD_BYTES);
      const length = readSync(descriptor, head, 0, HEAD_BYTES, 0);
      if (head.toString('hex', 0, 4) === OLD_WORKBOOK)
        throw usageError(`${path} is an encrypted or old (.xls) workbook: save it as .xlsx or CSV, without a password`);
      const isGzipped = head[0] === 0x1f && head[1] === 0x8b;
      const text = textOf(head.subarray(0, length), isGzipped);
      const detected = formatOf(path, text);
      const known = detected === 'xlsx' ? detected : (format ?? detected);
      return {
        path,
        bytes: stat.size,
        isGzipped,
        format: known,
        header: known === 'csv' ? headerOf(text) : null,
      };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reasons: Record<string, string> = { ENOENT: 'does not exist', EACCES: 'may not be read by this user' };
    throw usageError(`${path} ${reasons[code] ?? `cannot be read (${code})`}`);
  }
}

/** First bytes of an .xls or encrypted workbook (hexadecimal), and of a zip file, which every .xlsx workbook is. */
const OLD_WORKBOOK = 'd0cf11e0';
const ZIP = 'PK\x03\x04';

/** @param text - first bytes of the file, decoded as latin1 */
function headerOf(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  const isUtf16 = mark === 0xfffe || mark === 0xfeff;
  const decoded = isUtf16 ? new TextDecoder(mark === 0xfffe ? 'utf-16le' : 'utf-16be').decode(bytes) : text;
  const [line] = decoded.trimStart().split(/[\r\n]/, 1);
  return isUtf16 ? line : asUtf8(Buffer.from(line, 'latin1')).toString();
}

const textOf = (head: Buffer, isGzipped: boolean): string => (isGzipped ? gunzipPrefix(head) : head.toString('latin1'));

/** Decompresses the beginning of a gzip stream. Empty if it is not gzip data. */
function gunzipPrefix(head: Buffer): string {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
  } catch {
    return '';
  }
}

/** Detects a workbook by its zip signature, an FEC file by its first line, and other formats by the file name. */
export function formatOf(path: string, firstText: string): InputFormat {
  if (firstText.startsWith(ZIP)) return 'xlsx';
  const name = path.toLowerCase().replace(/\.gz$/, '');
  if (/\.(ndjson|jsonl)$/.test(name)) return 'ndjson';
  if (name.endsWith('.json')) return 'json';
  const firstLine = firstText.split('\n', 1)[0] ?? '';
  return /^C\d{8}\|/.test(firstLine) && firstLine.split('|').length === 21 ? 'itcont' : 'csv';
}

/**
 * Returns a file as a request body. Each attempt reads the file from the beginning.
 * @param compress - false for a service on this machine, where compression only costs time
 * @param sent - called with the number of bytes read so far
 */
export function uploadOf(file: InputFile, compress: boolean, sent: (bytes: number) => void): Upload {
  const gzip = compress && !file.isGzipped && file.format !== 'xlsx';
  // A transform counts the bytes: a data listener would start the flow before the request reads.
  const body = (): Readable => {
    let bytes = 0;
    const counted = new Transform({
      transform(piece: Buffer, _encoding, done) {
        sent((bytes += piece.length));
        done(null, piece);
      },
    });
    const source = pipeline(createReadStream(file.path), counted, () => undefined);
    return gzip ? pipeline(source, createGzip({ level: 1 }), () => undefined) : source;
  };
  return {
    body,
    headers: {
      'content-type': CONTENT_TYPE[file.format],
      ...(gzip ? {} : { 'content-length': String(file.bytes) }), // lets the service detect an incomplete body
      ...(gzip || file.isGzipped ? { 'content-encoding': 'gzip' } : {}),
    },
  };
}
