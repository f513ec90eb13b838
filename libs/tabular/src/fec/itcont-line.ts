import { asUtf8 } from '../text-encoding';
import { cycleOf, parseCents, receivedOn } from './field-values';
import { CELL, type Cell, ITCONT_COLUMNS } from './import-record-reader';

/** Why a line cannot be read. */
export const REJECT_CODES = [
  'wrong_column_count',
  'control_character',
  'too_long',
  'bad_sub_id',
  'bad_amount',
  'bad_committee_id',
] as const;
export type RejectCode = (typeof REJECT_CODES)[number];

export const MAX_LINE_BYTES = 4096;

const PIPE = 124;
const SEPARATOR = 28;
const LF = 10;
const COLUMNS = ITCONT_COLUMNS.length;
const MAX_SUB_ID = '9223372036854775807';

/** What a byte means: 0 is plain text. */
const CLASS = new Uint8Array(256);
const DELIMITER = 1;
const CONTROL = 2;
const HIGH = 3;
CLASS[PIPE] = DELIMITER;
for (const code of [0, 9, 10, 11, 12, 13, SEPARATOR]) CLASS[code] = CONTROL;
CLASS.fill(HIGH, 128);

/** Checks a line of an `itcont` file and makes an import record of it. Filled again for every line. */
export class ItcontLine {
  /** The record with its LF: the first `length` bytes. */
  bytes: Buffer;
  length = 0;
  private readonly ascii = Buffer.allocUnsafeSlow(MAX_LINE_BYTES + 1);
  private readonly ends = new Int32Array(COLUMNS);

  constructor() {
    this.bytes = this.ascii;
  }

  /** @returns why it cannot be read; null when it is read. No quoting: a quote is a letter. */
  read(line: Buffer, from: number, to: number): RejectCode | null {
    if (to - from > MAX_LINE_BYTES) return 'too_long';
    const { ascii, ends } = this;
    const length = to - from;
    line.copy(ascii, 0, from, to);
    let columns = 0;
    let hasHigh = false;
    let hasControl = false;
    for (let at = 0; at < length; at++) {
      const kind = CLASS[ascii[at]];
      if (kind === 0) continue;
      if (kind === DELIMITER) {
        ascii[at] = SEPARATOR;
        ends[columns++] = at;
      } else if (kind === HIGH) hasHigh = true;
      else hasControl = true;
    }
    ends[columns++] = length;
    ascii[length] = LF;
    if (hasControl) return 'control_character';
    if (columns !== COLUMNS) return 'wrong_column_count';
    if (!isSubId(this.text(CELL.SUB_ID))) return 'bad_sub_id';
    if (Number.isNaN(parseCents(this.text(CELL.TRANSACTION_AMT)))) return 'bad_amount';
    this.bytes = hasHigh ? asUtf8(ascii.subarray(0, length + 1)) : ascii;
    this.length = hasHigh ? this.bytes.length : length + 1;
    return null;
  }

  /** Appends a cell to the last line read. */
  append(cell: string): void {
    this.bytes = Buffer.concat([this.bytes.subarray(0, this.length - 1), Buffer.from(`\x1c${cell}\n`)]);
    this.length = this.bytes.length;
  }

  /** Cycle of the line last read: that of its date, without a valid one the file's. */
  cycle(fileCycle: number): number {
    return cycleOf(receivedOn(this.text(CELL.TRANSACTION_DT), fileCycle), fileCycle);
  }

  private text(cell: Cell): string {
    return this.ascii.toString('latin1', this.ends[cell - 1] + 1, this.ends[cell]).trim();
  }
}

/** 1 to 19 digits, not 0, not more than a signed 64-bit number holds. */
const isSubId = (text: string): boolean =>
  /^\d{1,19}$/.test(text) && /[1-9]/.test(text) && (text.length < MAX_SUB_ID.length || text <= MAX_SUB_ID);
