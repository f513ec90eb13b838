import { type FieldMapping } from '@donorlens/primitives';
import { type ChunkBuilder } from './chunk-builder';
import { CsvReader } from './csv-reader';
import { type InputReader } from './input-reader';
import { type IntakeRequest } from './intake-request';
import { type ItemKeys } from './item-keys';
import { isItcont, ItcontReader } from './itcont-reader';
import { LinesReader } from './lines-reader';

/** @param keys  those of the items, where the input is JSON */
export function readerOf(request: IntakeRequest, builder: ChunkBuilder, keys: ItemKeys): InputReader {
  if (request.format === 'csv') return new LikelyReader(request, builder);
  if (request.format === 'itcont') return new ItcontReader(request, builder);
  return new LinesReader(request, builder, keys);
}

/** Delimited text: the FEC's own file where its first line is one of it, else one with a header. */
class LikelyReader implements InputReader {
  private reader: InputReader | undefined;
  private head: Buffer = Buffer.alloc(0);

  constructor(
    private readonly request: IntakeRequest,
    private readonly builder: ChunkBuilder,
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

  push(piece: Buffer): void {
    if (this.reader) return this.reader.push(piece);
    this.head = this.head.length > 0 ? Buffer.concat([this.head, piece]) : piece;
    this.choose(false);
  }

  finish(): void {
    (this.reader ?? this.choose(true))?.finish();
  }

  private choose(whole: boolean): InputReader | undefined {
    const is = isItcont(this.head, whole);
    if (is === null) return undefined;
    this.reader = is ? new ItcontReader(this.request, this.builder) : new CsvReader(this.request, this.builder);
    this.reader.push(this.head);
    this.head = Buffer.alloc(0);
    return this.reader;
  }
}
