export { type ImportContext, type ImportProgress } from './import-context';
export { ImportBusyError, ImportError, type ImportErrorCode, SampleRefusedError } from './import-error';
export { type ImportReport } from './contributions/contributions-report';
export {
  ChunkWriter,
  type ChunkWriterOptions,
  IMPORT_CHUNK_ROWS,
  MAX_CHUNKS_OPEN,
  type WorkersProgress,
} from './engine/chunk-writer';
export { IMPORT_LEASE, ImportLease, underLease } from './engine/import-lease';
export { guardSample, ImportRepository, type Reject } from './engine/import.repository';
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
export { clearSample, isSampleComplete, markSampleComplete } from './masters/sample.repository';
export {
  type MastersOptions,
  type MastersReport,
  importMasters,
  type MasterFileReport,
} from './masters/import-masters';
export { fecSource, FecHttp, type FecHttpOptions } from './sources/fec-http';
export { FecFolder } from './sources/fec-folder';
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
export { type FilingSource, type FilingsRequest, importFilings } from './filings/import-filings';
