/** What a byte means for the reader: 0 is plain text. */
const CLASS = new Uint8Array(256);
const COMMA = 1;
const QUOTE = 2;
const END = 3;
const HIGH = 4;
const ESCAPED = 5; // COPY escapes it
const NUL = 6;
CLASS.fill(HIGH, 128);
CLASS[44] = COMMA;
CLASS[34] = QUOTE;
CLASS[10] = END;
CLASS[0] = NUL;
CLASS[9] = CLASS[13] = CLASS[92] = ESCAPED;

/**
 * Reads the records of a chunk: comma records of RFC 4180 as the intake writes them, each ended by LF.
 * Fields are cut as byte ranges; strings are created only on request. Positions refer to the last record.
 */
export class CsvRecordReader {
  start = 0;
  end = 0;
  fields = 0;
  /** The record holds a byte that COPY escapes. */
  hasEscaped = false;
  hasNul = false;
  private next = 0;
  private hasHigh = false;
  private ends = new Int32Array(64);
  /** One letter a byte, so that a field of ASCII is a slice of it and needs no decoding. */
  private letters: string;
  private bytes: Buffer;

  constructor(bytes: Buffer) {
    this.open(bytes);
  }

  /** Begins to read other records. */
  open(bytes: Buffer): void {
    this.bytes = bytes;
    this.letters = bytes.toString('latin1');
    this.next = 0;
  }

  /** False at the end of the chunk. */
  read(): boolean {
    const { bytes } = this;
    if (this.next >= bytes.length) return false;
    this.start = this.next;
    this.fields = 0;
    this.hasHigh = this.hasEscaped = this.hasNul = false;
    let at = this.next;
    let fieldStart = at;
    for (;;) {
      const kind = at < bytes.length ? CLASS[bytes[at]] : END;
      if (kind === 0) at++;
      else if (kind === COMMA || kind === END) {
        this.endField(at);
        if (kind === END) break;
        fieldStart = ++at;
      } else if (kind === QUOTE && at === fieldStart) at = this.skipQuoted(at + 1);
      else {
        this.note(kind);
        at++;
      }
    }
    this.end = at;
    this.next = at + 1;
    return true;
  }

  /** Bytes of the chunk. */
  get length(): number {
    return this.bytes.length;
  }

  /** Text of a field, unquoted and without the blanks around it. */
  text(field: number): string {
    return this.exactText(field).trim();
  }

  /** Text of a field, unquoted. */
  exactText(field: number): string {
    let start = field === 0 ? this.start : this.ends[field - 1] + 1;
    let end = this.ends[field];
    const quoted = this.bytes[start] === 34;
    if (quoted) {
      start++;
      end--;
    }
    const text = this.hasHigh ? this.bytes.toString('utf8', start, end) : this.letters.slice(start, end);
    return quoted && text.includes('"') ? text.replaceAll('""', '"') : text;
  }

  private note(kind: number): void {
    if (kind === HIGH) this.hasHigh = true;
    else if (kind !== QUOTE && kind !== COMMA) {
      this.hasEscaped = true;
      if (kind === NUL) this.hasNul = true;
    }
  }

  /** @returns position after the closing quote */
  private skipQuoted(at: number): number {
    const { bytes } = this;
    for (; at < bytes.length; at++) {
      const kind = CLASS[bytes[at]];
      if (kind === 0) continue;
      if (kind !== QUOTE) this.note(kind);
      else if (bytes[at + 1] === 34) at++;
      else return at + 1;
    }
    return at;
  }

  private endField(at: number): void {
    if (this.fields === this.ends.length) {
      const more = new Int32Array(2 * this.ends.length);
      more.set(this.ends);
      this.ends = more;
    }
    this.ends[this.fields++] = at;
  }
}
