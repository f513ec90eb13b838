import { type BuiltChunk, deflated } from '../chunk.store';
import { type ItemKeys } from './item-keys';
import { INTAKE_LIMITS } from './limits';

const COMMA = 44;
const QUOTE = 34;
const CR = 13;
const LF = 10;
/** Bytes that a field without quotes cannot hold. */
const TO_QUOTE = new Uint8Array(256);
TO_QUOTE[COMMA] = TO_QUOTE[QUOTE] = TO_QUOTE[CR] = 1;

/** Collects records in chunks of `chunkRows` and compresses each full one while the next is filled. */
export class ChunkBuilder {
  rows = 0;
  private bytes = Buffer.allocUnsafe(256 * 1024);
  private at = 0;
  private rowsHere = 0;
  private seq = 0;
  private readonly built: Promise<BuiltChunk>[] = [];

  /**
   * @param keys - collects the keys of records that are JSON items
   * @param compress - compresses the text of a chunk
   */
  constructor(
    private readonly chunkRows: number,
    private readonly keys?: ItemKeys,
    private readonly compress: (text: Buffer) => Promise<Buffer> = deflated,
  ) {}

  /** Number of full chunks that take() has not returned yet. */
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

  /** Adds a record that already has the format of a chunk. */
  add(bytes: Buffer, start: number, end: number): void {
    this.keys?.note(bytes, start, end);
    this.reserve(end - start + 1);
    bytes.copy(this.bytes, this.at, start, end);
    this.at += end - start;
    this.endRecord();
  }

  /**
   * Adds a record with another delimiter as a comma record. Quoted fields stay as they are; others are quoted if they
   * contain a comma, a quote or a line break.
   * @param quoting - false if a quote is an ordinary character
   */
  addRewritten(bytes: Buffer, start: number, end: number, delimiter: number, quoting: boolean): void {
    this.reserve(3 * (end - start) + 8); // at most two quotes for each field that is not empty, and each quote twice
    const out = this.bytes;
    let { at } = this;
    for (let from = start; ;) {
      let to = from;
      if (quoting && bytes[from] === QUOTE && from < end) {
        to = closingQuote(bytes, from, end);
        at = copied(bytes, from, to, out, at);
      } else {
        const fieldAt = at;
        while (to < end && bytes[to] !== delimiter && !TO_QUOTE[bytes[to]]) out[at++] = bytes[to++];
        if (to < end && bytes[to] !== delimiter) {
          to = fieldEnd(bytes, to, end, delimiter);
          at = quoted(bytes, from, to, out, fieldAt);
        }
      }
      if (to >= end) break;
      out[at++] = COMMA;
      from = to + 1;
    }
    this.at = at;
    this.endRecord();
  }

  /** Closes the last chunk. */
  finish(): void {
    if (this.rowsHere > 0) this.seal();
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
    this.bytes = Buffer.allocUnsafe(256 * 1024); // the compressor still reads the old one
    this.at = 0;
    this.rowsHere = 0;
    const built = this.compress(text).then((input) => ({ ...chunk, input }));
    built.catch(() => undefined); // thrown by take()
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

/** @returns offset of the end of the copy in `out` */
function copied(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  for (let i = from; i < to; i++) out[at++] = bytes[i];
  return at;
}

/** Quotes the field and doubles its quotes. @returns offset of its end in `out` */
function quoted(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  out[at++] = QUOTE;
  for (let i = from; i < to; i++) {
    if (bytes[i] === QUOTE) out[at++] = QUOTE;
    out[at++] = bytes[i];
  }
  out[at++] = QUOTE;
  return at;
}
