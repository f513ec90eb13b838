export { bulkDate } from './filed-day';
export {
  type FiledItem,
  type FilingCover,
  type FilingHeader,
  type FilingSummary,
  type ItemPlace,
  type SummaryLines,
} from './filing';
export { formKind } from './filing-cover';
export { FilingError, type FilingErrorCode } from './filing-error';
export { type FilingVisitor, readFiling } from './read-filing';
export { type Reconciliation } from './reconciliation';
export { fileNumberIn, standInNumber } from './file-number';
export { RecordMaker, type Recorded } from './import-record';
export { type Chain, FilingRepository, type FilingState, type NewFiling, type StoredFiling } from './filing.repository';
