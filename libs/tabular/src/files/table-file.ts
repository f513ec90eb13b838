import { CsvRecordReader } from '../csv-record-reader';
import { type CellKind, type FileColumn } from './file-column';
import { parquetPieces } from './parquet-file';
import { sheetPieces } from './sheet-file';

/** Formats of a table that are made from its CSV. */
export const TABLE_FILE_TYPES = {
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
export type TableFileFormat = keyof typeof TABLE_FILE_TYPES;

export const isTableFile = (format: string): format is TableFileFormat => Object.hasOwn(TABLE_FILE_TYPES, format);

export type CsvPieces = AsyncGenerator<Buffer | string, void>;

/**
 * A table as Parquet or as a spreadsheet, with the values of its CSV: empty cells are null, text stays text. The first
 * piece is written after the first piece of the CSV was read. Memory holds one row group.
 * @param csv - whole records, with a header line and without the formula guard
 * @param kindOf - by name and position of the column
 */
export async function* tableFile(
  format: TableFileFormat,
  csv: CsvPieces,
  kindOf: (name: string, position: number) => CellKind,
): AsyncGenerator<Buffer, void> {
  try {
    const head = await csv.next();
    if (head.done) throw new Error('the CSV has no header line');
    const first = new CsvRecordReader(Buffer.from(head.value));
    first.read();
    const columns = Array.from({ length: first.fields }, (_, at): FileColumn => {
      const name = first.exactText(at);
      return { name, kind: kindOf(name, at) };
    });
    yield* (format === 'parquet' ? parquetPieces : sheetPieces)(columns, recordsOf(first, csv));
  } finally {
    await csv.return();
  }
}

async function* recordsOf(first: CsvRecordReader, rest: CsvPieces): AsyncGenerator<CsvRecordReader, void> {
  yield first;
  for await (const piece of rest) yield new CsvRecordReader(Buffer.from(piece));
}
