import { stringify } from 'csv-stringify/sync';

const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets treat text with such a start, also after blanks, as a formula. */
const FORMULA = /^[ \t\r\n]*[=+\-@\t\r]/;
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** One field of RFC 4180, quoted only if necessary. */
export const csvField = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Text that a spreadsheet would run is prefixed with an apostrophe; numbers stay numbers. */
export const formulaGuarded = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** One cell of a CSV file; null is empty. */
export type CsvCell = string | number | null;

/**
 * One record without its line feed, with the bytes of `csvText`, for writers that stream record by record.
 * @param raw - leaves out the formula guard
 */
export const csvRecord = (fields: readonly CsvCell[], raw = false): string =>
  fields
    .map((field) => {
      if (field === null) return '';
      if (typeof field === 'number') return String(field);
      return csvField(raw ? field : formulaGuarded(field));
    })
    .join(',');

/**
 * Fields of one record of delimited text, quotes read as the record scanner reads them. For headers and odd records.
 */
export function splitFields(record: string, delimiter: string, quoting: boolean): string[] {
  if (!quoting || !record.includes('"')) return record.split(delimiter);
  const fields: string[] = [];
  for (let at = 0; at <= record.length; at++) {
    const field = readField(record, at, delimiter);
    fields.push(field.text);
    at = field.end;
  }
  return fields;
}

function readField(record: string, at: number, delimiter: string): { text: string; end: number } {
  let text = '';
  if (record[at] === '"') {
    for (at++; at < record.length; at++) {
      if (record[at] !== '"') text += record[at];
      else if (record[at + 1] === '"') text += record[at++];
      else break;
    }
    at++;
  }
  const end = record.indexOf(delimiter, at);
  const stop = end < 0 ? record.length : end;
  return { text: text + record.slice(at, stop), end: stop };
}

/** CSV that Excel reads as UTF-8. */
export async function* withByteOrderMark(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield Buffer.from('\ufeff');
  yield* pieces;
}

/**
 * CSV text of records: RFC 4180, each record ends with LF.
 * @param raw - leaves out the guard before text that a spreadsheet would run as a formula
 */
export const csvText = (records: readonly (readonly CsvCell[])[], raw = false): string =>
  stringify(records as CsvCell[][], { cast: { string: raw ? (text) => text : formulaGuarded } });
