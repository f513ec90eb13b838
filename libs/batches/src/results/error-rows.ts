import { ITEM_ERRORS, type ItemErrorCode, csvRecord } from '@donorlens/primitives';
import { type ResultRows } from './result-rows';

const COLUMNS = ['ROW', 'ERROR_CODE', 'ERROR_MESSAGE', 'SOURCE'];

const messageOf = (code: string): string => ITEM_ERRORS[code as ItemErrorCode] ?? code;

/** Rows without an answer. ROW counts the caller's items from 1, the header line not among them; SOURCE is the whole item. */
export class ErrorRows {
  constructor(private readonly raw: boolean) {}

  header(): string {
    return `${COLUMNS.join(',')}\n`;
  }

  records(rows: ResultRows): string[] {
    const records: string[] = [];
    while (rows.read()) {
      const code = rows.text('error_code') ?? '';
      records.push(`${csvRecord([rows.count('row_no'), code, messageOf(code), rows.text('source')], this.raw)}\n`);
    }
    return records;
  }

  /** JSON texts of a page's rows. */
  page(rows: ResultRows): string[] {
    const texts: string[] = [];
    while (rows.read()) {
      const code = rows.text('error_code') ?? '';
      const row = rows.count('row_no');
      texts.push(JSON.stringify({ row, error: code, message: messageOf(code), source: rows.text('source') }));
    }
    return texts;
  }
}
