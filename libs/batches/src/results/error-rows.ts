import { ITEM_ERRORS, type ItemErrorCode, csvRecord } from '@donorlens/primitives';
import { type ResultRows } from './result-rows';

const COLUMNS = ['ROW', 'ERROR_CODE', 'ERROR_MESSAGE', 'SOURCE'];

export const messageOf = (code: string): string => ITEM_ERRORS[code as ItemErrorCode] ?? code;

/** Rows without an answer. ROW counts the caller's items from 1, the header line not among them; SOURCE is the whole item. */
export class ErrorRows {
  constructor(private readonly raw: boolean) {}

  header(): string {
    return `${COLUMNS.join(',')}\n`;
  }

  /** CSV record of the row last read. */
  record(rows: ResultRows): string {
    const { row, error, message, source } = errorOf(rows);
    return `${csvRecord([row, error, message, source], this.raw)}\n`;
  }

  /** JSON text of the row last read. */
  text(rows: ResultRows): string {
    return JSON.stringify(errorOf(rows));
  }
}

const errorOf = (rows: ResultRows): { row: number; error: string; message: string; source: string | null } => {
  const error = rows.text('error_code') ?? '';
  return { row: rows.count('row_no'), error, message: messageOf(error), source: rows.text('source') };
};
