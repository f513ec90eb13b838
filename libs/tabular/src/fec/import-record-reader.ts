import { type ImportSpec } from '@donorlens/primitives';

/** The 21 columns of the FEC's individual contributions file, which has no header line. */
export const ITCONT_COLUMNS = [
  'CMTE_ID',
  'AMNDT_IND',
  'RPT_TP',
  'TRANSACTION_PGI',
  'IMAGE_NUM',
  'TRANSACTION_TP',
  'ENTITY_TP',
  'NAME',
  'CITY',
  'STATE',
  'ZIP_CODE',
  'EMPLOYER',
  'OCCUPATION',
  'TRANSACTION_DT',
  'TRANSACTION_AMT',
  'OTHER_ID',
  'TRAN_ID',
  'FILE_NUM',
  'MEMO_CD',
  'MEMO_TEXT',
  'SUB_ID',
] as const;

/** Separates the cells of an import record: a byte that no readable FEC record contains. */
export const FIELD_SEPARATOR = '\x1c';

/**
 * Column of each cell in an import record. A conduit's row of the bulk files has its recipient in the place of LINE.
 */
export const CELL = {
  CMTE_ID: 0,
  AMNDT_IND: 1,
  RPT_TP: 2,
  TRANSACTION_PGI: 3,
  IMAGE_NUM: 4,
  TRANSACTION_TP: 5,
  ENTITY_TP: 6,
  NAME: 7,
  CITY: 8,
  STATE: 9,
  ZIP_CODE: 10,
  EMPLOYER: 11,
  OCCUPATION: 12,
  TRANSACTION_DT: 13,
  TRANSACTION_AMT: 14,
  OTHER_ID: 15,
  TRAN_ID: 16,
  FILE_NUM: 17,
  MEMO_CD: 18,
  MEMO_TEXT: 19,
  SUB_ID: 20,
  LINE: 21,
  LAST: 22,
  FIRST: 23,
  STREET_1: 24,
  STREET_2: 25,
} as const;
export type Cell = (typeof CELL)[keyof typeof CELL];

const SEPARATOR = 28;
const END = 10;
const BACKSLASH = 92;
/** Prefix of a record to be enriched again: its row id and the cycle of its file. */
const IDENTITY_CELLS = 2;
const MAX_CELLS = IDENTITY_CELLS + CELL.STREET_2 + 1;

/**
 * Reads import records one after the other: cells separated by byte 28, each record ended by LF, UTF-8. Cells are cut
 * as byte ranges; strings are created only on request. Positions refer to the last record.
 */
export class ImportRecordReader {
  /** The cells that are stored, from CMTE_ID on and without streets: a byte range of `bytes`. */
  start = 0;
  end = 0;
  /** Cells of the record, without those in front of a record to be enriched again. */
  cells = 0;
  /** The record holds a byte that COPY escapes. */
  hasEscaped = false;
  private readonly before: number;
  private readonly ends = new Int32Array(MAX_CELLS);
  private hasHigh = false;
  private first = 0;
  private following = 0;
  /** One letter a byte, so that a cell of ASCII is a slice of it and needs no decoding. */
  private readonly letters: string;

  constructor(
    readonly bytes: Buffer,
    kind: ImportSpec['kind'],
  ) {
    this.before = kind === 'reenrich' ? IDENTITY_CELLS : 0;
    this.letters = bytes.toString('latin1');
  }

  /** False at the end of the chunk. */
  next(): boolean {
    const { bytes, ends, before } = this;
    const { length } = bytes;
    if (this.following >= length) return false;
    this.hasHigh = this.hasEscaped = false;
    let at = this.following;
    let cells = 0;
    this.first = at;
    for (; at < length; at++) {
      const byte = bytes[at];
      if (byte === SEPARATOR) ends[cells++] = at;
      else if (byte === END) break;
      else if (byte >= 128) this.hasHigh = true;
      else if (byte === BACKSLASH) this.hasEscaped = true;
    }
    ends[cells++] = at;
    this.cells = cells - before;
    this.start = before === 0 ? this.first : ends[before - 1] + 1;
    this.end = ends[Math.min(cells, before + CELL.STREET_1) - 1];
    this.following = at + 1;
    return true;
  }

  /** Cell without blanks around it; empty if the record does not have it. */
  text(cell: Cell): string {
    return cell < this.cells ? this.slice(this.before + cell) : '';
  }

  /** Stored row id of a record that is enriched again; else empty. */
  get storedRowId(): string {
    return this.before === 0 ? '' : this.slice(0);
  }

  /** Stored file cycle of a record that is enriched again; empty for none. */
  get storedFileCycle(): string {
    return this.before === 0 ? '' : this.slice(1);
  }

  private slice(index: number): string {
    const { ends } = this;
    const from = index === 0 ? this.first : ends[index - 1] + 1;
    const to = ends[index];
    if (from === to) return '';
    return (this.hasHigh ? this.bytes.toString('utf8', from, to) : this.letters.slice(from, to)).trim();
  }
}
