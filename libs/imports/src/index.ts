export { type ImportContext, type ImportProgress } from './import-context';
export { ImportBusyError, type ImportErrorCode } from './import-error';
export { type ImportReport } from './contributions/contributions-report';
export { type ChunkWriterOptions, type WorkersProgress } from './engine/chunk-writer';
export { IMPORT_LEASE, ImportLease } from './engine/import-lease';
export { ImportRepository, type Reject } from './engine/import.repository';
export {
  type ImportDetail,
  type ImportKind,
  type ImportPosition,
  type ImportState,
  type NewImport,
  type SourceLabel,
  type StoredImport,
} from './engine/stored-import';
export { type ContributionsFile, importContributions } from './contributions/import-contributions';
export { cyclesToReenrich } from './contributions/reenrich.repository';
export { type ReenrichReport, type Reenrichment, reenrich } from './contributions/reenrich';
export { isSampleComplete, markSampleComplete } from './masters/sample.repository';
export {
  type MastersOptions,
  type MastersReport,
  importMasters,
  type MasterFileReport,
} from './masters/import-masters';
export { fecSource, type FecHttpOptions } from './sources/fec-http';
export {
  type FecFile,
  type FecFileKind,
  type FecFileName,
  type FecFileOptions,
  type FecSource,
  fileName as fecFileName,
  missingContributions,
} from './sources/fec-source';
export { type FilingFacts, type FilingOutcome, type FilingReport, type StoredFacts } from './filings/filing-report';
export { RECORD_VERSION } from './filings/parser/import-record';
export { type FilingSource, type FilingsRequest, importFilings } from './filings/import-filings';
