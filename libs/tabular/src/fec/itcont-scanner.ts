import { asUtf8 } from '../text-encoding';
import { ItcontLine, MAX_LINE_BYTES, type RejectCode } from './itcont-line';

const C = 67;
const FIRST_LETTER = 1;
const DIGITS = 8;
const COMMITTEE_ID_BYTES = FIRST_LETTER + DIGITS;

/**
 * The number of the committee id (`C00575795`) at a position of a text, or -1 if there is none.
 * Looks at nine bytes and makes no string.
 */
function committeeNumberAt(bytes: Uint8Array, at: number, end: number): number {
  if (end - at < COMMITTEE_ID_BYTES || bytes[at] !== C) return -1;
  let number = 0;
  for (let i = at + FIRST_LETTER; i < at + COMMITTEE_ID_BYTES; i++) {
    const digit = bytes[i] - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** Committee ids as numbers, for lookups in bytes. */
const committeeNumbers = (ids: Iterable<string>): ReadonlySet<number> =>
  new Set([...ids].map((id) => committeeNumberAt(Buffer.from(id, 'latin1'), 0, id.length)).filter((n) => n >= 0));

export interface ItcontVisitor {
  /**
   * A readable row of one of the committees, as an import record of 21 cells with its LF; a conduit's row has the
   * committee that it is for as cell 22.
   * @param bytes - hold it up to `length`, during the call only
   * @param cycle that of its date, without a valid one the file's
   */
  kept(bytes: Buffer, length: number, cycle: number): void;
  /** @param text - the line, at most 4,096 bytes; NUL, which Postgres cannot store, is replaced by ␀ */
  rejected(line: number, code: RejectCode, text: string): void;
}

export interface ItcontCounts {
  linesRead: number;
  kept: number;
  otherCommittees: number;
  /** Among those kept: a conduit's rows for one of the committees. */
  conduitRows: number;
  rejected: number;
}

export interface ItcontStart {
  readonly fileCycle: number;
  /** Committees whose rows are kept. */
  readonly committees: ReadonlySet<string>;
  /** Offset to resume at: complete lines before it are not pushed again. */
  readonly offset?: number;
  readonly linesRead?: number;
}

const LF = 10;
const CR = 13;
const PIPE = 124;
/** Pipes before TRANSACTION_TP, and from there to OTHER_ID. */
const BEFORE_TYPE = 5;
const TYPE_TO_OTHER_ID = 10;
const OTHER_ID_TO_MEMO_CODE = 3;
const X = 88;
const LOWER_X = 120;
const COMMITTEE_IDS = /C\d{8}/g;

/**
 * Reads the text of an `itcont` file in pieces of any size, with memory for one line. The first nine bytes of a line
 * name its committee; of other committees only conduits' rows are read. Lines end with LF or CRLF, except possibly the
 * last.
 */
export class ItcontScanner {
  readonly counts: ItcontCounts = { linesRead: 0, kept: 0, otherCommittees: 0, conduitRows: 0, rejected: 0 };
  /** Bytes of the text up to the end of the last whole line. */
  offset: number;
  private readonly committees: ReadonlySet<number>;
  private readonly fileCycle: number;
  private readonly line = new ItcontLine();
  /** The line that the last piece left unfinished; of one that is too long only the beginning is held. */
  private readonly begun = Buffer.allocUnsafeSlow(MAX_LINE_BYTES + 2);
  private begunBytes = 0;
  private droppedBytes = 0;

  constructor(
    { committees, fileCycle, offset = 0, linesRead = 0 }: ItcontStart,
    private readonly visitor: ItcontVisitor,
  ) {
    this.committees = committeeNumbers(committees);
    this.fileCycle = fileCycle;
    this.offset = offset;
    this.counts.linesRead = linesRead;
  }

  push(piece: Buffer): void {
    let at = 0;
    if (this.begunBytes > 0) {
      const end = piece.indexOf(LF);
      this.begin(piece, 0, end < 0 ? piece.length : end);
      if (end < 0) return;
      this.endBegun(1);
      at = end + 1;
    }
    for (let end = piece.indexOf(LF, at); end >= 0; end = piece.indexOf(LF, at)) {
      this.take(piece, at, end);
      this.offset += end + 1 - at;
      at = end + 1;
    }
    this.begin(piece, at, piece.length);
  }

  finish(): void {
    if (this.begunBytes > 0) this.endBegun(0);
  }

  private begin(piece: Buffer, from: number, to: number): void {
    const held = piece.copy(this.begun, this.begunBytes, from, to);
    this.begunBytes += held;
    this.droppedBytes += to - from - held;
  }

  private endBegun(lineEndBytes: number): void {
    this.take(this.begun, 0, this.begunBytes);
    this.offset += this.begunBytes + this.droppedBytes + lineEndBytes;
    this.begunBytes = this.droppedBytes = 0;
  }

  /** One line without its LF. */
  private take(bytes: Buffer, from: number, lineEnd: number): void {
    const { counts } = this;
    counts.linesRead++;
    const to = lineEnd > from && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    const committee = committeeNumberAt(bytes, from, to);
    if (committee < 0 || (to > from + COMMITTEE_ID_BYTES && bytes[from + COMMITTEE_ID_BYTES] !== PIPE))
      this.reject('bad_committee_id', bytes, from, to);
    else {
      const recipient = this.passedOnTo(bytes, from + COMMITTEE_ID_BYTES, to, committee);
      if (recipient >= 0 || this.committees.has(committee)) this.keep(bytes, from, to, recipient);
      else counts.otherCommittees++;
    }
  }

  /** @param recipient of a conduit's row; -1 for a row of the filer's own */
  private keep(bytes: Buffer, from: number, to: number, recipient: number): void {
    const { line } = this;
    const fault = line.read(bytes, from, to);
    if (fault !== null) return this.reject(fault, bytes, from, to);
    this.counts.kept++;
    if (recipient >= 0) {
      this.counts.conduitRows++;
      line.append(`C${String(recipient).padStart(DIGITS, '0')}`);
    }
    this.visitor.kept(line.bytes, line.length, line.cycle(this.fileCycle));
  }

  private reject(code: RejectCode, bytes: Buffer, from: number, to: number): void {
    this.counts.rejected++;
    const text = asUtf8(bytes.subarray(from, Math.min(to, from + MAX_LINE_BYTES))).toString('utf8');
    this.visitor.rejected(this.counts.linesRead, code, text.replaceAll('\0', '␀'));
  }

  /** Number of the committee that receives the gift of a conduit's row; -1 if it is not imported. */
  private passedOnTo(bytes: Buffer, from: number, to: number, filer: number): number {
    const type = afterPipes(bytes, from, to, BEFORE_TYPE);
    if (type + 3 >= to || bytes[type + 3] !== PIPE) return -1;
    const code = bytes.toString('latin1', type, type + 3);
    if (code !== '24T' && code !== '24I' && code !== '15E') return -1;
    const otherId = afterPipes(bytes, type, to, TYPE_TO_OTHER_ID);
    const memoCode = afterPipes(bytes, otherId, to, OTHER_ID_TO_MEMO_CODE);
    if (code === '15E' && bytes[memoCode] !== X && bytes[memoCode] !== LOWER_X) return -1;
    const isNamed = (number: number): boolean => number !== filer && this.committees.has(number);
    if (bytes[otherId] !== PIPE) {
      const named = committeeNumberAt(bytes, otherId, to);
      return isNamed(named) ? named : -1;
    }
    const memoText = afterPipes(bytes, memoCode, to, 1);
    const ids = bytes.toString('latin1', memoText, afterPipes(bytes, memoText, to, 1)).match(COMMITTEE_IDS) ?? [];
    return ids.map((id) => Number(id.slice(FIRST_LETTER))).find(isNamed) ?? -1;
  }
}

/** Offset after so many pipes; `to` if the line has fewer. */
function afterPipes(bytes: Buffer, from: number, to: number, pipes: number): number {
  let at = from;
  for (let left = pipes; left > 0 && at < to; at++) if (bytes[at] === PIPE) left--;
  return at;
}
