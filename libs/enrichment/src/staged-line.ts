import { CELL, type CopyText, type ImportRecordReader } from '@donorlens/tabular';
import { COUNT_REASONS, type CountReason } from '@donorlens/campaign-finance';
import { type EnrichedItem } from './enrich-contribution';
import { type ImportRowFacts } from './import-row-facts';

const { STATE, TRAN_ID } = CELL;
const REASON_INDEX = Object.fromEntries(COUNT_REASONS.map((reason, index) => [reason, index])) as Record<
  CountReason,
  number
>;
/** Maximum bytes of a line without the texts that reserve their own space. */
const ROOM = 512;
const SHARES = 6;

/**
 * Line of COPY text, columns in the order of STAGING_COLUMNS.
 * @param ageAdult - -1 for none
 * @param firstName - key of the birth files, or null
 * @param addressKey - null for a row without an address that can be geocoded
 */
export function writeStaged(
  copy: CopyText,
  rowNo: number,
  record: ImportRecordReader,
  row: ImportRowFacts,
  item: EnrichedItem,
  ageAdult: number,
  firstName: string | null,
  addressKey: Uint8Array | null,
): void {
  copy.reserve(ROOM);
  copy.count(rowNo);
  copy.tab();
  copy.null(); // reject_code
  copy.tab();
  copy.count(row.cycle);
  copy.tab();
  copy.ascii(row.rowId);
  copy.tab();
  writeRecordColumns(copy, record, row);
  writeEnriched(copy, item, ageAdult);
  copy.asciiOrNull(firstName);
  copy.tab();
  copy.bytesOrNull(addressKey);
  copy.endLine();
}

/** Writes a record that cannot be stored as a contribution, unchanged, with the code of the reason. */
export function writeRejected(copy: CopyText, rowNo: number, code: string, record: ImportRecordReader): void {
  copy.reserve(ROOM);
  copy.count(rowNo);
  copy.tab();
  copy.ascii(code);
  copy.tab();
  nulls(copy, COLUMNS_BEFORE_RECORD);
  copy.escaped(record.bytes, record.start, record.end);
  copy.tab();
  nulls(copy, COLUMNS_BEHIND_RECORD);
  copy.null();
  copy.endLine();
}

/** Numbers of columns from cycle to file_cycle, and from age to first_name. */
const COLUMNS_BEFORE_RECORD = 15;
const COLUMNS_BEHIND_RECORD = 12;

function nulls(copy: CopyText, columns: number): void {
  for (let i = 0; i < columns; i++) {
    copy.null();
    copy.tab();
  }
}

/** Writes the columns committee_id to record. */
function writeRecordColumns(copy: CopyText, record: ImportRecordReader, row: ImportRowFacts): void {
  const { counting } = row;
  copy.text(row.committeeId);
  copy.tab();
  copy.ascii(row.donorKey);
  copy.tab();
  copy.ascii(row.donorKeyV2);
  copy.tab();
  copy.asciiOrNull(row.date === '' ? null : row.date);
  copy.tab();
  copy.integer(counting.moneyCents);
  copy.tab();
  copy.boolean(counting.countsMoney);
  copy.tab();
  copy.boolean(counting.countsDonor);
  copy.tab();
  copy.count(REASON_INDEX[counting.reason]);
  copy.tab();
  copy.count(counting.earmark);
  copy.tab();
  copy.text(record.text(STATE));
  copy.tab();
  copy.asciiOrNull(row.fileNum === '' ? null : row.fileNum);
  copy.tab();
  copy.text(record.text(TRAN_ID));
  copy.tab();
  copy.asciiOrNull(row.fileCycle === '' ? null : row.fileCycle);
  copy.tab();
  if (record.hasEscaped) copy.escaped(record.bytes, record.start, record.end);
  else copy.plain(record.bytes, record.start, record.end);
  copy.tab();
}

/** Writes the columns age to zip_income. */
function writeEnriched(copy: CopyText, item: EnrichedItem, ageAdult: number): void {
  copy.countOrNull(item.ageYears);
  copy.tab();
  copy.countOrNull(ageAdult < 0 ? null : ageAdult);
  copy.tab();
  copy.asciiOrNull(item.gender);
  copy.tab();
  copy.asciiOrNull(item.race);
  copy.tab();
  const shares = item.pctHundredths;
  for (let i = 0; i < SHARES; i++) {
    if (shares) copy.count(shares[i]);
    else copy.null();
    copy.tab();
  }
  copy.countOrNull(item.householdIncome);
  copy.tab();
}
