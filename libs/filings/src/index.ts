export { FilingError, type FilingErrorCode } from './filing-error';
export {
  type FiledItem,
  type FilingCover,
  type FilingHeader,
  type FilingSummary,
  type ItemPlace,
  type SummaryLines,
} from './filing';
export { type Reconciled, type Reconciliation } from './reconciliation';
