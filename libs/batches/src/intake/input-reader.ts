import { type ContributionField, type FieldMapping, ITCONT_COLUMNS } from '@donorlens/primitives';
import { type ChunkBuilder } from './chunk-builder';
import { knownField, mapColumns } from './column-mapping';
import { readHeader, textStart } from './header';
import { IntakeError } from './intake-error';
import { type ItemKeys, isStorable, mappingOf } from './item-keys';
import { type IntakeRequest } from './intake-request';
import { RecordScanner } from './record-scanner';

/** Takes an input's bytes as they come and puts its records into chunks. */
export interface InputReader {
  /** Known once the first record is; of JSON items, the keys seen so far. */
  readonly columns: readonly string[];
  readonly mapping: FieldMapping;
  readonly delimiter: string | null;
  push(piece: Buffer): void;
  finish(): void;
}

/** @param keys  those of the items, where the input is JSON */
export function inputReader(request: IntakeRequest, builder: ChunkBuilder, keys: ItemKeys): InputReader {
  if (request.format === 'csv') return new CsvReader(request, builder);
  if (request.format === 'itcont') return new ItcontReader(request, builder);
  return new LinesReader(request, builder, keys);
}

class CsvReader implements InputReader {
  columns: readonly string[] = [];
  mapping: FieldMapping = {};
  delimiter: string | null = null;
  private head: Buffer = Buffer.alloc(0);
  private scanner: RecordScanner | undefined;

  constructor(
    private readonly request: IntakeRequest,
    private readonly builder: ChunkBuilder,
  ) {}

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
    this.mapping = mapColumns(header.columns, this.request.type, this.request.mapping);
    const dialect = { delimiter: header.delimiter.charCodeAt(0), quoting: true, crLines: header.crLines };
    this.scanner = new RecordScanner(dialect, this.builder, header.nextLine);
    this.scanner.push(this.head.subarray(header.end));
    this.head = Buffer.alloc(0);
  }
}

/** The FEC's individual contributions file: no header, 21 columns between bars, a quote is a letter. */
class ItcontReader implements InputReader {
  readonly columns = ITCONT_COLUMNS;
  readonly mapping: FieldMapping;
  readonly delimiter = '|';
  private readonly scanner: RecordScanner;
  private begun = false;

  constructor(
    request: IntakeRequest,
    private readonly builder: ChunkBuilder,
  ) {
    this.mapping = mapColumns(ITCONT_COLUMNS, request.type, request.mapping);
    this.scanner = new RecordScanner({ delimiter: 124, quoting: false, crLines: false }, builder, 1);
  }

  push(piece: Buffer): void {
    const start = this.begun ? 0 : textStart(piece);
    this.begun = true;
    this.scanner.push(piece.subarray(start));
  }

  finish(): void {
    this.scanner.finish();
    if (this.builder.rows === 0) throw new IntakeError('empty_input', 'the input is empty');
  }
}

/** One JSON object a line. Whether a line is one is found out by whoever reads it: a bad line is a bad row. */
class LinesReader implements InputReader {
  readonly delimiter = null;
  private readonly keyOf: Partial<Record<ContributionField, string>> = {};
  private readonly scanner: RecordScanner;
  private begun = false;

  constructor(
    request: IntakeRequest,
    private readonly builder: ChunkBuilder,
    private readonly keys: ItemKeys,
  ) {
    for (const [name, key] of Object.entries(request.mapping ?? {})) {
      const field = knownField(name);
      if (!isStorable(key)) throw new IntakeError('unknown_column', `map.${field} names no key`, { field });
      this.keyOf[field] = key;
    }
    this.scanner = new RecordScanner({ delimiter: null, quoting: false, crLines: false }, builder, 1);
  }

  get columns(): readonly string[] {
    return this.keys.columns(Object.values(this.keyOf));
  }

  get mapping(): FieldMapping {
    return mappingOf(this.keyOf, this.columns);
  }

  push(piece: Buffer): void {
    const start = this.begun ? 0 : textStart(piece);
    this.begun = true;
    this.scanner.push(piece.subarray(start));
  }

  finish(): void {
    this.scanner.finish();
    if (this.builder.rows === 0) throw new IntakeError('empty_input', 'the input is empty');
  }
}
