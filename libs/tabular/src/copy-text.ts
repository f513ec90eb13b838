const TAB = 9;
const LF = 10;
const CR = 13;
const MINUS = 45;
const BACKSLASH = 92;
const HEX = Buffer.from('0123456789abcdef');
const NUL_SHOWN = Buffer.from('\u2400'); // Postgres text cannot hold a NUL

/** Lines of COPY's text format, written into one buffer that grows. */
export class CopyText {
  private bytes: Buffer;
  private at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** What was written so far. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  get length(): number {
    return this.at;
  }

  /** Discards everything after that many bytes. */
  cutTo(length: number): void {
    this.at = length;
  }

  /** Makes room for that many bytes; the unescaped writers below count on it. */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + count));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  tab(): void {
    this.bytes[this.at++] = TAB;
  }

  endLine(): void {
    this.bytes[this.at++] = LF;
  }

  null(): void {
    this.bytes[this.at++] = BACKSLASH;
    this.bytes[this.at++] = 78; // N
  }

  /** A few bytes that hold nothing COPY escapes; there must be room for them. */
  bytesOf(text: Uint8Array): void {
    const { bytes } = this;
    for (let i = 0; i < text.length; i++) bytes[this.at + i] = text[i];
    this.at += text.length;
  }

  /** Short ASCII text without a character that COPY escapes: codes. */
  ascii(text: string): void {
    for (let i = 0; i < text.length; i++) this.bytes[this.at++] = text.charCodeAt(i);
  }

  asciiOrNull(text: string | null): void {
    if (text === null) this.null();
    else this.ascii(text);
  }

  /** A whole number, 0 or more. */
  count(value: number): void {
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    for (let i = this.at + digits - 1; i >= this.at; i--) {
      this.bytes[i] = 48 + (value % 10);
      value = Math.trunc(value / 10);
    }
    this.at += digits;
  }

  /** Any whole number that a number holds exactly. */
  integer(value: number): void {
    if (value < 0) this.bytes[this.at++] = MINUS;
    this.count(Math.abs(value));
  }

  /** `t` or `f`. */
  boolean(value: boolean): void {
    this.bytes[this.at++] = value ? 116 : 102;
  }

  countOrNull(value: number | null): void {
    if (value === null) this.null();
    else this.count(value);
  }

  /** A few bytes as bytea, in hex; there must be room for twice as many and three. */
  bytesOrNull(value: Uint8Array | null): void {
    if (value === null) return this.null();
    this.bytes[this.at++] = BACKSLASH;
    this.bytes[this.at++] = BACKSLASH;
    this.bytes[this.at++] = 120; // x
    for (let i = 0; i < value.length; i++) {
      this.bytes[this.at++] = HEX[value[i] >> 4];
      this.bytes[this.at++] = HEX[value[i] & 15];
    }
  }

  /** Bytes that hold nothing COPY escapes. Makes its own room. */
  plain(source: Buffer, start: number, end: number): void {
    this.reserve(end - start + 512);
    source.copy(this.bytes, this.at, start, end);
    this.at += end - start;
  }

  /** Any text. Makes its own room. */
  text(value: string): void {
    this.reserve(value.length + 512);
    const start = this.at;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code < 32 || code > 126 || code === BACKSLASH) {
        this.at = start;
        const bytes = Buffer.from(value, 'utf8');
        return this.escaped(bytes, 0, bytes.length);
      }
      this.bytes[this.at++] = code;
    }
  }

  /** Any UTF-8 text. Makes its own room. */
  escaped(source: Buffer, start: number, end: number): void {
    this.reserve(3 * (end - start) + 512);
    for (let i = start; i < end; i++) {
      const byte = source[i];
      if (byte === 0) this.at += NUL_SHOWN.copy(this.bytes, this.at);
      else if (byte === TAB) this.escape(116);
      else if (byte === LF) this.escape(110);
      else if (byte === CR) this.escape(114);
      else if (byte === BACKSLASH) this.escape(BACKSLASH);
      else this.bytes[this.at++] = byte;
    }
  }

  private escape(letter: number): void {
    this.bytes[this.at++] = BACKSLASH;
    this.bytes[this.at++] = letter;
  }
}
