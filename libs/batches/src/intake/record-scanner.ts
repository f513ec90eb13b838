import { asUtf8, csvField, splitFields } from '@donorlens/tabular';
import { type ChunkBuilder } from './chunk-builder';
import { IntakeError } from './intake-error';
import { INTAKE_LIMITS } from './limits';

export interface Dialect {
  /** ASCII code; null if each line is a record without fields. */
  readonly delimiter: number | null;
  /** False if a quote is an ordinary character, as in FEC files. */
  readonly quoting: boolean;
  /** Lines end with CR without LF. */
  readonly crLines: boolean;
}

const COMMA = 44;
const LF = 10;
const CR = 13;

// What a byte means to the scanner: 0 is plain text.
const DELIMITER = 1;
const END = 2;
const RETURN = 3;
const QUOTE = 4;
const HIGH = 5;

const UNQUOTED = 0;
const QUOTED = 1;
const AFTER_QUOTE = 2;

/**
 * Splits a stream of bytes into records of delimited text and passes them to a chunk builder as CSV records of RFC
 * 4180.
 *
 * Quotes are read like in spreadsheets and Python's csv module: a quote at the start of a field opens it, two inside
 * mean one, and elsewhere it is an ordinary character; text after a closing quote belongs to the field. Lines end with
 * LF or CRLF, or with CR if the header does. Empty lines are skipped. Every other line is a record with any number of
 * fields.
 */
export class RecordScanner {
  private readonly kinds = new Uint8Array(256);
  private bytes: Buffer = Buffer.alloc(0);
  private store: Buffer = Buffer.allocUnsafeSlow(128 * 1024);
  /** Start of the current record in `bytes`. */
  private start = 0;
  private at = 0;
  /** Number of records with a misplaced quote. */
  oddQuotes = 0;
  private fieldStart = 0;
  private mode = UNQUOTED;
  private hasHigh = false;
  private returns = 0;
  private strayQuote = false;
  private textAfterQuote = false;
  private hasQuoted = false;
  private quoteLine = 0;

  /** @param line number of the next line, for messages */
  constructor(
    private readonly dialect: Dialect,
    private readonly builder: ChunkBuilder,
    private line: number,
  ) {
    this.kinds.fill(HIGH, 128);
    this.kinds[LF] = END;
    this.kinds[CR] = dialect.crLines ? END : RETURN;
    if (dialect.delimiter === null) return;
    this.kinds[34] = QUOTE;
    this.kinds[dialect.delimiter] = DELIMITER;
  }

  push(piece: Buffer): void {
    this.bytes = this.withKept(piece);
    this.at -= this.start;
    this.fieldStart -= this.start;
    this.start = 0;
    this.scan();
    if (this.at - this.start > INTAKE_LIMITS.recordBytes) throw this.tooLong();
  }

  /** Appends a piece to the unfinished record, without copying the record again. */
  private withKept(piece: Buffer): Buffer {
    const kept = this.bytes.length - this.start;
    if (kept === 0) return piece;
    const inStore = this.bytes.buffer === this.store.buffer && this.bytes.byteOffset === this.store.byteOffset;
    if (kept + piece.length > this.store.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (kept + piece.length));
      this.bytes.copy(larger, 0, this.start);
      this.store = larger;
    } else if (!inStore || this.start > 0) this.bytes.copy(this.store, 0, this.start);
    piece.copy(this.store, kept);
    return this.store.subarray(0, kept + piece.length);
  }

  /** The last line may lack its line end. */
  finish(): void {
    if (this.mode === QUOTED) throw this.unclosedQuote();
    if (this.at > this.start) this.endRecord(this.at);
  }

  private scan(): void {
    const { bytes, kinds } = this;
    const { length } = bytes;
    while (this.at < length) {
      if (this.mode === QUOTED) this.skipQuoted();
      else {
        let { at } = this;
        while (at < length && kinds[bytes[at]] === 0 && this.mode === UNQUOTED) at++;
        this.at = at;
        if (at < length) this.step(kinds[bytes[at]]);
      }
    }
  }

  /** One byte outside of quotes. */
  private step(kind: number): void {
    const { at } = this;
    const { mode } = this;
    this.at++;
    if (kind === DELIMITER) {
      this.mode = UNQUOTED;
      this.fieldStart = at + 1;
    } else if (kind === END) {
      this.mode = UNQUOTED;
      this.endRecord(at);
    } else if (kind === QUOTE) this.quote(at);
    else {
      if (kind === HIGH) this.hasHigh = true;
      if (kind === RETURN) this.returns++;
      else if (mode === AFTER_QUOTE) this.noteTextAfterQuote();
      if (mode === AFTER_QUOTE) this.mode = UNQUOTED;
    }
  }

  private quote(at: number): void {
    if (!this.dialect.quoting) this.strayQuote = true;
    else if (this.mode === AFTER_QUOTE)
      this.mode = QUOTED; // the second of two
    else if (at === this.fieldStart) {
      this.mode = QUOTED;
      this.hasQuoted = true;
      this.quoteLine = this.line;
    } else this.strayQuote = true;
  }

  private skipQuoted(): void {
    const { bytes, kinds } = this;
    let { at } = this;
    for (; at < bytes.length; at++) {
      const kind = kinds[bytes[at]];
      if (kind === 0) continue;
      if (kind === QUOTE) {
        this.mode = AFTER_QUOTE;
        at++;
        break;
      }
      if (kind === HIGH) this.hasHigh = true;
      else if (kind === END) this.line++;
    }
    this.at = at;
  }

  /** Notes text after a quoted field of several lines: an earlier quote was probably never closed. */
  private noteTextAfterQuote(): void {
    if (this.line !== this.quoteLine) throw this.unclosedQuote();
    this.textAfterQuote = true;
  }

  private endRecord(lineEnd: number): void {
    const end = lineEnd > this.start && this.returns > 0 && this.bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    const bareReturn = this.returns > (end < lineEnd ? 1 : 0);
    if (end > this.start) this.emit(end, bareReturn);
    this.line++;
    this.start = this.fieldStart = this.at;
    this.hasHigh = this.strayQuote = this.textAfterQuote = this.hasQuoted = false;
    this.returns = 0;
  }

  private emit(end: number, bareReturn: boolean): void {
    if (end - this.start > INTAKE_LIMITS.recordBytes) throw this.tooLong();
    const { delimiter, quoting } = this.dialect;
    if (quoting && (this.strayQuote || this.textAfterQuote)) this.oddQuotes++;
    const record = this.hasHigh ? asUtf8(this.bytes.subarray(this.start, end)) : undefined;
    const [bytes, from, to] = record ? [record, 0, record.length] : [this.bytes, this.start, end];
    if (delimiter === null) this.builder.add(bytes, from, to);
    else if (this.textAfterQuote || (bareReturn && this.hasQuoted)) {
      const fields = splitFields(bytes.toString('utf8', from, to), String.fromCharCode(delimiter), true);
      const text = Buffer.from(fields.map(csvField).join(','));
      this.builder.add(text, 0, text.length);
    } else if (delimiter === COMMA && !this.strayQuote && !bareReturn) this.builder.add(bytes, from, to);
    else this.builder.addRewritten(bytes, from, to, delimiter, quoting);
  }

  private tooLong(): IntakeError {
    if (this.mode === QUOTED) return this.unclosedQuote();
    return new IntakeError('record_too_long', `the record that begins in line ${this.line} is longer than 8 MB`, {
      line: this.line,
    });
  }

  private unclosedQuote(): IntakeError {
    return new IntakeError('unclosed_quote', `the quote opened in line ${this.quoteLine} is never closed`, {
      line: this.quoteLine,
    });
  }
}
