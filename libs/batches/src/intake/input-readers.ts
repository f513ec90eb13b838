import { type ContributionField, type FieldMapping } from '@donorlens/primitives';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { type ChunkBuilder } from './chunk-builder';
import { knownField, mapColumns } from './column-mapping';
import { dayFirstDate, SAMPLE_BYTES, sampleRows } from './column-values';
import { type Header, readHeader, textStart } from './header';
import { type FoundText } from './input-text';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';
import { type ItemKeys, isStorable, mappingOf } from './item-keys';
import { INTAKE_LIMITS } from './limits';
import { RecordScanner } from './record-scanner';

/** Length of a committee's id and its separator. */
const ID_LENGTH = 10;
const BAR = 124;

/** Parses the bytes of an input as they arrive, and adds its records to chunks. */
export interface InputReader {
  /** Known from the first record on; of JSON items, the keys seen so far. */
  readonly columns: readonly string[];
  readonly mapping: FieldMapping;
  readonly delimiter: string | null;
  /** It is the FEC's header-less file. */
  readonly isItcont: boolean;
  /** Records so far with a misplaced quote. */
  readonly oddQuotes: number;
  /** A date among the first rows that can only have its day first; null without one and for JSON. */
  readonly dayFirstDate: string | null;
  push(piece: Buffer): void;
  finish(): void;
}

/**
 * @param keys - collects the keys of JSON items
 * @param found - the format that inputText detected; complete before the first push()
 */
export function readerOf(
  request: IntakeRequest,
  builder: ChunkBuilder,
  keys: ItemKeys,
  found: FoundText = {},
): InputReader {
  if (request.format === 'csv') return new DetectingReader(request, builder, found);
  if (request.format === 'itcont') return new ItcontReader(request, builder);
  return new LinesReader(request, builder, keys);
}

/** Delimited text: the FEC's own file if its first line is one, else a file with a header. */
class DetectingReader implements InputReader {
  private reader: InputReader | undefined;
  private head: Buffer = Buffer.alloc(0);

  constructor(
    private readonly request: IntakeRequest,
    private readonly builder: ChunkBuilder,
    private readonly found: FoundText,
  ) {}

  get columns(): readonly string[] {
    return this.reader?.columns ?? [];
  }

  get mapping(): FieldMapping {
    return this.reader?.mapping ?? {};
  }

  get delimiter(): string | null {
    return this.reader?.delimiter ?? null;
  }

  get isItcont(): boolean {
    return this.reader?.isItcont ?? false;
  }

  get oddQuotes(): number {
    return this.reader?.oddQuotes ?? 0;
  }

  get dayFirstDate(): string | null {
    return this.reader?.dayFirstDate ?? null;
  }

  push(piece: Buffer): void {
    if (this.reader) return this.reader.push(piece);
    this.head = this.head.length > 0 ? Buffer.concat([this.head, piece]) : piece;
    this.choose(false);
  }

  finish(): void {
    (this.reader ?? this.choose(true))?.finish();
  }

  private choose(whole: boolean): InputReader | undefined {
    const is = this.found.sheet === undefined ? isItcont(this.head, whole) : false;
    if (is === null) return undefined;
    this.reader = is
      ? new ItcontReader(this.request, this.builder)
      : new CsvReader(this.request, this.builder, this.found);
    this.reader.push(this.head);
    this.head = Buffer.alloc(0);
    return this.reader;
  }
}

/** Delimited text with a header line. */
class CsvReader implements InputReader {
  columns: readonly string[] = [];
  mapping: FieldMapping = {};
  delimiter: string | null = null;
  dayFirstDate: string | null = null;
  readonly isItcont = false;
  private head: Buffer = Buffer.alloc(0);
  private header: Header | null = null;
  private scanner: RecordScanner | undefined;

  constructor(
    private readonly request: IntakeRequest,
    private readonly builder: ChunkBuilder,
    private readonly found: FoundText,
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
    const header = (this.header ??= readHeader(this.head, whole, this.found.sheet === undefined ? undefined : ','));
    if (!header || (!whole && this.head.length - header.end < SAMPLE_BYTES)) return;
    this.columns = header.columns;
    this.delimiter = header.delimiter;
    const { type, mapping, isDraft } = this.request;
    const dialect = { delimiter: header.delimiter.charCodeAt(0), quoting: true, crLines: header.crLines };
    const body = this.head.subarray(header.end);
    const rows = sampleRows(body, dialect);
    this.mapping = mapColumns(header.columns, type, mapping, isDraft, rows);
    this.dayFirstDate = dayFirstDate(rows, this.mapping.date);
    this.scanner = new RecordScanner(dialect, this.builder, header.nextLine);
    this.scanner.push(body);
    this.head = Buffer.alloc(0);
  }
}

/** Text without a header: its first record begins after a byte order mark. */
class HeaderlessReader {
  readonly oddQuotes = 0;
  readonly dayFirstDate = null;
  private readonly scanner: RecordScanner;
  private begun = false;

  constructor(
    delimiter: number | null,
    private readonly builder: ChunkBuilder,
  ) {
    this.scanner = new RecordScanner({ delimiter, quoting: false, crLines: false }, builder, 1);
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

/** The FEC's individual contributions file: no header, 21 columns between bars, a quote is a letter. */
class ItcontReader extends HeaderlessReader implements InputReader {
  readonly columns = ITCONT_COLUMNS;
  readonly mapping: FieldMapping;
  readonly delimiter = '|';
  readonly isItcont = true;

  constructor({ type, mapping, isDraft }: IntakeRequest, builder: ChunkBuilder) {
    super(BAR, builder);
    this.mapping = mapColumns(ITCONT_COLUMNS, type, mapping, isDraft);
  }
}

/**
 * Whether a file without a stated format is the FEC's: its first line begins with a committee's id, and has its 21
 * fields.
 * @param whole - true at the end of the input
 * @returns null while its first line is not complete
 */
function isItcont(bytes: Buffer, whole: boolean): boolean | null {
  const start = textStart(bytes);
  if (bytes.length < start + ID_LENGTH) return whole ? false : null;
  if (!/^C\d{8}\|$/.test(bytes.toString('latin1', start, start + ID_LENGTH))) return false;
  const end = bytes.indexOf(10, start);
  if (end < 0 && !whole && bytes.length < INTAKE_LIMITS.headerBytes) return null;
  let fields = 1;
  for (const byte of bytes.subarray(start, end < 0 ? bytes.length : end)) if (byte === BAR) fields++;
  return fields === ITCONT_COLUMNS.length;
}

/** One JSON object per line. The worker parses them: a line that is no object is an invalid row. */
class LinesReader extends HeaderlessReader implements InputReader {
  readonly delimiter = null;
  readonly isItcont = false;
  private readonly keyOf: Partial<Record<ContributionField, string>> = {};

  constructor(
    request: IntakeRequest,
    builder: ChunkBuilder,
    private readonly keys: ItemKeys,
  ) {
    super(null, builder);
    for (const [name, key] of Object.entries(request.mapping ?? {})) {
      const field = knownField(name);
      if (key === '') continue; // each item is searched for the known keys
      if (!isStorable(key)) throw new IntakeError('unknown_column', `map.${field} names no key`, { field });
      this.keyOf[field] = key;
    }
  }

  get columns(): readonly string[] {
    return this.keys.columns(Object.values(this.keyOf));
  }

  get mapping(): FieldMapping {
    return mappingOf(this.keyOf, this.columns);
  }
}
