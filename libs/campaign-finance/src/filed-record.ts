import { type FiledSpec } from '@donorlens/primitives';

/** Where each cell stands in an import record. */
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

/**
 * Reads import records one after the other: cells separated by byte 28, each record ended by LF, UTF-8. Cells are cut as
 * byte ranges; a text is made only of those asked for. Positions are of the record last read.
 */
export class FiledRecord {
  /** The cells that are stored, from CMTE_ID on and without streets: a byte range of `bytes`. */
  start = 0;
  end = 0;
  /** Cells of the record, without the two in front that a re-enrichment puts there. */
  cells = 0;

  constructor(
    readonly bytes: Buffer,
    readonly kind: FiledSpec['kind'],
  ) {}

  /** False at the end of the chunk. */
  next(): boolean {
    return false;
  }

  /** Cell as filed; '' where the record does not have it. */
  text(cell: Cell): string {
    return String(cell).slice(9);
  }

  /** Of a record to be enriched again: the identity it is stored under, else ''. */
  get storedRowId(): string {
    return '';
  }

  /** Of a record to be enriched again: the cycle of the file it came with, '' for none. */
  get storedFileCycle(): string {
    return '';
  }
}
