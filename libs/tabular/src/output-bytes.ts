const BACKSLASH = 92;
const POINT = 46;
const OF_ESCAPE: Readonly<Record<number, number>> = { 98: 8, 102: 12, 110: 10, 114: 13, 116: 9, 118: 11 };

/** Growable output buffer for a page of results. */
export class OutputBytes {
  private bytes: Buffer;
  private at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  get written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at);
  }

  /** ASCII text: faster than `text` for a few letters. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[this.at++] = text.charCodeAt(i);
  }

  plain(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    for (let i = start; i < end; i++) this.bytes[this.at++] = source[i];
  }

  /** A value of COPY text without escapes. */
  unescaped(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    for (let i = start; i < end; i++) {
      const byte = source[i];
      this.bytes[this.at++] = byte === BACKSLASH ? (OF_ESCAPE[source[++i]] ?? source[i]) : byte;
    }
  }

  /** Hundredths of a percent as a number without trailing zeros: 9650 is 96.5. */
  percent(hundredths: number): void {
    const whole = Math.trunc(hundredths / 100);
    this.wholeNumber(whole);
    const rest = hundredths - whole * 100;
    if (rest === 0) return;
    this.reserve(3);
    this.bytes[this.at++] = POINT;
    this.digit(Math.trunc(rest / 10));
    if (rest % 10 > 0) this.digit(rest);
  }

  /** A whole number from 0 to 999. */
  wholeNumber(value: number): void {
    this.reserve(3);
    if (value >= 100) this.digit(Math.trunc(value / 100));
    if (value >= 10) this.digit(Math.trunc(value / 10));
    this.digit(value);
  }

  private digit(value: number): void {
    this.bytes[this.at++] = 48 + (value % 10);
  }

  private reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.at + count));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
