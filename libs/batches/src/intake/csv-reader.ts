import { type FieldMapping } from '@donorlens/primitives';
import { type ChunkBuilder } from './chunk-builder';
import { mapColumns } from './column-mapping';
import { readHeader } from './header';
import { type InputReader } from './input-reader';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';
import { RecordScanner } from './record-scanner';

/** Delimited text with a header line. */
export class CsvReader implements InputReader {
  columns: readonly string[] = [];
  mapping: FieldMapping = {};
  delimiter: string | null = null;
  readonly isItcont = false;
  private head: Buffer = Buffer.alloc(0);
  private scanner: RecordScanner | undefined;

  constructor(
    private readonly request: IntakeRequest,
    private readonly builder: ChunkBuilder,
  ) {}

  get oddQuotes(): number {
    return this.scanner?.oddQuotes ?? 0;
  }

  push(piece: Buffer): void {
    if (this.scanner) return this.scanner.push(piece);
    this.head = this.head.length > 0 ? Buffer.concat([this.head, piece]) : piece;
    this.open(false);
  }

  finish(): void {
    if (!this.scanner) this.open(true);
    this.scanner?.finish();
    if (this.builder.rows === 0)
      throw new IntakeError('no_rows', 'the input has a header line and nothing below it', { line: 1 });
  }

  private open(whole: boolean): void {
    const header = readHeader(this.head, whole);
    if (!header) return;
    this.columns = header.columns;
    this.delimiter = header.delimiter;
    const { type, mapping, isDraft } = this.request;
    this.mapping = mapColumns(header.columns, type, mapping, isDraft);
    const dialect = { delimiter: header.delimiter.charCodeAt(0), quoting: true, crLines: header.crLines };
    this.scanner = new RecordScanner(dialect, this.builder, header.nextLine);
    this.scanner.push(this.head.subarray(header.end));
    this.head = Buffer.alloc(0);
  }
}
