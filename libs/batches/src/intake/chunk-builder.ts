import { deflated } from '../chunk-codec';
import { type ItemKeys } from './item-keys';
import { INTAKE_LIMITS } from './limits';

const COMMA = 44;
const QUOTE = 34;
const CR = 13;
const LF = 10;

/** A chunk on its way into the database. */
export interface BuiltChunk {
  readonly seq: number;
  readonly firstRow: number;
  readonly rows: number;
  /** Records, deflated. */
  readonly input: Buffer;
}

/** Gathers records into chunks of `chunkRows` and compresses each full one while the next is gathered. */
export class ChunkBuilder {
  rows = 0;
  private bytes = Buffer.allocUnsafe(256 * 1024);
  private at = 0;
  private rowsHere = 0;
  private seq = 0;
  private readonly built: Promise<BuiltChunk>[] = [];

  /**
   * @param keys      told of each record, where records are JSON items
   * @param compress  what becomes of a chunk's text
   */
  constructor(
    private readonly chunkRows: number,
    private readonly keys?: ItemKeys,
    private readonly compress: (text: Buffer) => Promise<Buffer> = deflated,
  ) {}

  /** Chunks that are being compressed, in order. */
  get waiting(): number {
    return this.built.length;
  }

  take(): Promise<BuiltChunk> | undefined {
    return this.built.shift();
  }

  /** Records that are in no chunk yet. */
  get gathered(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  /** Adds a record that is already as a chunk holds it. */
  add(bytes: Buffer, start: number, end: number): void {
    this.keys?.note(bytes, start, end);
    this.reserve(end - start + 1);
    bytes.copy(this.bytes, this.at, start, end);
    this.at += end - start;
    this.endRecord();
  }

  /**
   * Adds a record of another delimiter as a comma record. Quoted fields stay as they are; others are quoted where they
   * hold what would end them.
   * @param quoting  false where a quote is just a letter
   */
  addRewritten(bytes: Buffer, start: number, end: number, delimiter: number, quoting: boolean): void {
    this.reserve(3 * (end - start) + 8); // at most two quotes for each field that is not empty, and each quote twice
    for (let from = start; ;) {
      const quoted = quoting && bytes[from] === QUOTE && from < end;
      const to = quoted ? closingQuote(bytes, from, end) : fieldEnd(bytes, from, end, delimiter);
      if (quoted || !mustBeQuoted(bytes, from, to)) this.copyField(bytes, from, to);
      else this.quoteField(bytes, from, to);
      if (to >= end) break;
      this.bytes[this.at++] = COMMA;
      from = to + 1;
    }
    this.endRecord();
  }

  /** Closes the last chunk. */
  finish(): void {
    if (this.rowsHere > 0) this.seal();
  }

  private copyField(bytes: Buffer, from: number, to: number): void {
    for (let i = from; i < to; i++) this.bytes[this.at++] = bytes[i];
  }

  private quoteField(bytes: Buffer, from: number, to: number): void {
    this.bytes[this.at++] = QUOTE;
    for (let i = from; i < to; i++) {
      if (bytes[i] === QUOTE) this.bytes[this.at++] = QUOTE;
      this.bytes[this.at++] = bytes[i];
    }
    this.bytes[this.at++] = QUOTE;
  }

  private endRecord(): void {
    this.bytes[this.at++] = LF;
    this.rowsHere++;
    this.rows++;
    if (this.rowsHere === this.chunkRows || this.at >= INTAKE_LIMITS.chunkBytes) this.seal();
  }

  private seal(): void {
    const chunk = { seq: this.seq++, firstRow: this.rows - this.rowsHere + 1, rows: this.rowsHere };
    const text = this.bytes.subarray(0, this.at);
    this.bytes = Buffer.allocUnsafe(256 * 1024); // the compressor reads the old one meanwhile
    this.at = 0;
    this.rowsHere = 0;
    const built = this.compress(text).then((input) => ({ ...chunk, input }));
    built.catch(() => undefined); // reported to whoever takes it
    this.built.push(built);
  }

  private reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.at + count));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

function fieldEnd(bytes: Buffer, from: number, end: number, delimiter: number): number {
  let at = from;
  while (at < end && bytes[at] !== delimiter) at++;
  return at;
}

/** Position after the quote that closes the field. */
function closingQuote(bytes: Buffer, from: number, end: number): number {
  for (let at = from + 1; at < end; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE || at + 1 >= end) return at + 1;
    at++;
  }
  return end;
}

function mustBeQuoted(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === QUOTE || byte === CR) return true;
  }
  return false;
}
