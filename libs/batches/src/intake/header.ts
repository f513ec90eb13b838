import { knownColumns } from './column-mapping';
import { IntakeError } from './intake-error';
import { INTAKE_LIMITS } from './limits';
import { asUtf8, splitFields } from '@donorlens/tabular';

/** Detected delimiters, the most frequent first. */
const DELIMITERS = [',', '|', '\t', ';'] as const;

const LF = 10;
const CR = 13;
const QUOTE = 34;
/** First bytes of a zip, and of an old or encrypted workbook. */
const ZIP = 0x504b;
const OLE = 0xd0cf;
const PNG = 0x8950;
const PDF = Buffer.from('%PDF-');
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The parsed first line of a delimited file. */
export interface Header {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly crLines: boolean;
  /** Offset of the first record; nextLine is its line number. */
  readonly end: number;
  readonly nextLine: number;
}

/** Offset after a UTF-8 byte order mark. @throws IntakeError if the bytes are no supported text */
export function textStart(bytes: Buffer): number {
  const marks = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (marks === ZIP)
    throw new IntakeError('not_text', 'the input is a zip file or a workbook; choose the format CSV (format=csv)');
  if (marks === OLE)
    throw new IntakeError(
      'not_text',
      'the input is an encrypted or old (.xls) workbook; save it as .xlsx or CSV, without a password',
    );
  if (marks === PNG || bytes.subarray(0, 5).equals(PDF))
    throw new IntakeError('not_text', 'the input is a picture or a document; send its table as CSV');
  return bytes.subarray(0, 3).equals(BOM) ? 3 : 0;
}

/**
 * Reads the header as soon as its line is complete.
 * @param whole - true if these are all bytes of the input
 * @param known - the delimiter; by default it is detected
 * @returns null while the line is not complete
 */
export function readHeader(bytes: Buffer, whole: boolean, known?: string): Header | null {
  const start = textStart(bytes);
  let from = start;
  let line = 1;
  for (; bytes[from] === LF || bytes[from] === CR; from++) if (bytes[from] === LF) line++;
  const end = lineEnd(bytes, from);
  const stop = end < 0 ? bytes.length : end;
  if (stop - from > INTAKE_LIMITS.headerBytes)
    throw new IntakeError('record_too_long', 'the header line is longer than 256 kB', { line });
  if (end < 0 && !whole) return null;
  if (stop === from) throw new IntakeError('empty_input', 'the input is empty');
  // A CR at the very end may be half of a CRLF: wait for the next byte.
  if (bytes[stop] === CR && stop + 1 === bytes.length && !whole) return null;
  const crLines = bytes[stop] === CR && bytes[stop + 1] !== LF;
  const text = headerText(bytes.subarray(from, stop), line);
  const { columns, delimiter } = bestSplit(text, known === undefined ? DELIMITERS : [known]);
  if (columns.length > INTAKE_LIMITS.columns)
    throw new IntakeError('too_many_columns', `the header has ${columns.length} columns; at most 1000 are read`, {
      line,
    });
  const next = bytes[stop] === CR && !crLines ? stop + 2 : stop + 1;
  return {
    columns,
    delimiter,
    crLines,
    end: Math.min(next, bytes.length),
    nextLine: line + text.split(crLines ? '\r' : '\n').length,
  };
}

/** First line end outside of quotes, -1 when there is none yet. */
function lineEnd(bytes: Buffer, from: number): number {
  let quoted = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) quoted = !quoted;
    else if (!quoted && (byte === LF || byte === CR)) return at;
  }
  return -1;
}

function headerText(bytes: Buffer, line: number): string {
  const text = asUtf8(bytes).toString('utf8');
  if (text.includes('\0'))
    throw new IntakeError(
      'not_text',
      'the header line holds NUL bytes: the input is UTF-16 without a byte order mark, or no text; save it as UTF-8 CSV',
      { line },
    );
  let quotes = 0;
  for (const byte of bytes) if (byte === QUOTE) quotes++;
  if (quotes % 2 === 1)
    throw new IntakeError('unclosed_quote', `the quote opened in line ${line} is never closed`, { line });
  return text;
}

/** The delimiter under which most columns are known; then the one that makes most columns. */
function bestSplit(text: string, delimiters: readonly string[]): Pick<Header, 'columns' | 'delimiter'> {
  const splits = delimiters.map((delimiter) => ({ delimiter, columns: splitFields(text, delimiter, true) }));
  const score = ({ columns }: (typeof splits)[number]): number =>
    knownColumns(columns) * (INTAKE_LIMITS.columns + 1) + Math.min(columns.length, INTAKE_LIMITS.columns);
  return splits.reduce((best, split) => (score(split) > score(best) ? split : best));
}
