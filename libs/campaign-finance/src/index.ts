export { parseCents } from './cents';
export {
  COUNT_REASONS,
  type CountReason,
  type CountedRow,
  type Counting,
  type DatedAmount,
  countingOf,
  isCopyOf,
  isPassedOn,
} from './counting';
export { DONOR_KEY_VERSION, type DonorKeys, donorKeys } from './donor-key';
export { donorNameOf } from './filed-name';
export { CELL, type Cell, FiledRecord } from './filed-record';
export { type ItcontCounts, ItcontScanner, type ItcontStart, type ItcontVisitor } from './itcont-scanner';
export { cycleOf, receivedOn } from './received-on';
export { REJECT_CODES, type RejectCode } from './reject-code';
export { rowIdOfFiled } from './row-id';
export { type SampleOptions, type SampleRows, sampleItcont, writeSampleFiles } from './sample/sample-campaign';
export { asUtf8 } from './text-encoding';
