import { CELL, type ImportRecordReader, cycleOf, parseCents, receivedOn } from '@donorlens/tabular';
import { type Counting, countingOf, donorKeys, isForwarded, rowIdOfFiled } from '@donorlens/campaign-finance';
import { NO_DONOR, type DonorName } from '@donorlens/demographics';
import { type CivilDay, type ImportSpec } from '@donorlens/primitives';

const {
  CMTE_ID,
  ENTITY_TP,
  FILE_NUM,
  LINE,
  MEMO_CD,
  MEMO_TEXT,
  OTHER_ID,
  SUB_ID,
  TRANSACTION_AMT,
  TRANSACTION_DT,
  TRANSACTION_TP,
  TRAN_ID,
  ZIP_CODE,
} = CELL;
/** Cells that a record of each kind may have. */
const CELLS: Readonly<Record<ImportSpec['kind'], readonly number[]>> = {
  contributions: [21, 22],
  filing: [26],
  reenrich: [21, 22, 24],
};
/** A row of a conduit in the bulk files: the recipient committee follows the 21 columns. */
const CONDUIT_CELLS = 22;
const ROW_ID = /^-?[1-9]\d{0,18}$/;
const NUMBER = /^-?\d{1,18}$/;

/** Facts of a record as filed, independent of reference data. A chunk reuses one object for all rows. */
export class ImportRowFacts {
  cycle = 0;
  /** A bigint as text, like all numbers that are only copied. */
  rowId = '';
  /** The recipient: the filer, or the committee to which a conduit forwards the gift. */
  committeeId = '';
  /** NaN without a valid date. */
  receivedOn: CivilDay = NaN;
  /** `receivedOn` as yyyy-mm-dd; empty without a valid date. */
  date = '';
  /** Cycle of the bulk file that contains the row; empty for a row of an electronic filing. */
  fileCycle = '';
  /** FEC file number; empty if unknown. */
  fileNum = '';
  donorKey = '0';
  donorKeyV2 = '0';
  counting: Counting = { countsMoney: false, countsDonor: false, reason: 'zero', moneyCents: 0, earmark: 0 };

  /** True for a row of a conduit in the bulk files. */
  private isConduitRow = false;

  constructor(private readonly filed: ImportSpec) {}

  /** Reads the identity of the row. @returns false if the record cannot be read */
  identify(record: ImportRecordReader): boolean {
    const { kind, fileCycle, fileNum } = this.filed;
    if (!CELLS[kind].includes(record.cells)) return false;
    this.fileCycle = kind === 'contributions' ? String(fileCycle) : record.storedFileCycle;
    const cycle = this.fileCycle === '' ? fileCycle : Number(this.fileCycle);
    const date = record.text(TRANSACTION_DT);
    this.receivedOn = receivedOn(date, cycle);
    this.date = this.receivedOn === this.receivedOn ? isoDate(date) : '';
    this.cycle = cycleOf(this.receivedOn, cycle);
    this.rowId = this.rowIdOf(record);
    this.fileNum = numberOrNone(fileNum ?? record.text(FILE_NUM));
    const otherId = record.text(OTHER_ID);
    this.isConduitRow = record.cells === CONDUIT_CELLS;
    if (this.isConduitRow) this.committeeId = record.text(LINE);
    else if (this.fileCycle === '' && isForwarded(record.text(TRANSACTION_TP), otherId)) this.committeeId = otherId;
    else this.committeeId = record.text(CMTE_ID);
    return ROW_ID.test(this.rowId);
  }

  /**
   * Decides how the row counts.
   * @param donor - null if the name was not read: then the row has no donor
   * @returns false if its amount is unreadable
   */
  count(record: ImportRecordReader, donor: DonorName | null): boolean {
    const { surname, given } = donor ?? NO_DONOR;
    const keys = donorKeys(surname, given, record.text(ZIP_CODE));
    this.donorKey = keys.v1;
    this.donorKeyV2 = keys.v2;
    const amountCents = parseCents(record.text(TRANSACTION_AMT));
    this.counting = countingOf({
      transactionType: this.isConduitRow ? '24T' : record.text(TRANSACTION_TP),
      entityType: record.text(ENTITY_TP),
      memoCode: record.text(MEMO_CD),
      memoText: record.text(MEMO_TEXT),
      otherId: this.isConduitRow ? this.committeeId : record.text(OTHER_ID),
      isKeptForFiler: this.fileCycle !== '' && !this.isConduitRow,
      line: this.isConduitRow ? '' : record.text(LINE),
      amountCents,
      hasDate: this.receivedOn === this.receivedOn,
      hasName: this.donorKey !== '0',
    });
    return amountCents === amountCents;
  }

  private rowIdOf(record: ImportRecordReader): string {
    const { kind, fileNum } = this.filed;
    if (kind === 'reenrich') return record.storedRowId;
    if (kind === 'contributions') return record.text(SUB_ID);
    return rowIdOfFiled(record.text(CMTE_ID), fileNum ?? '', record.text(TRAN_ID));
  }
}

/** @param date mmddyyyy */
const isoDate = (date: string): string => `${date.slice(4)}-${date.slice(0, 2)}-${date.slice(2, 4)}`;

const numberOrNone = (text: string): string => (NUMBER.test(text) ? text : '');
