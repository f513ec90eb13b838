import { donorName, type DonorName } from '@donorlens/demographics';
import { CELL, type FiledRecord } from './filed-record';

/** Surname and first given name of who gave: from the cells that have them apart, else from the name. */
export function donorNameOf(record: FiledRecord): DonorName {
  const last = record.text(CELL.LAST);
  return donorName(
    last === '' ? record.text(CELL.NAME) : `${last}, ${record.text(CELL.FIRST)}`,
    record.text(CELL.ENTITY_TP),
  );
}
