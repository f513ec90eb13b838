export { type ImportContext, type ImportProgress } from './import-context';
export { ImportBusyError, ImportError, type ImportErrorCode } from './import-error';
export { type ImportReport } from './import-report';
export {
  ChunkWriter,
  type ChunkWriterOptions,
  IMPORT_CHUNK_ROWS,
  MAX_CHUNKS_OPEN,
  type WorkersProgress,
} from './engine/chunk-writer';
export { IMPORT_LEASE, ImportLease, underLease } from './engine/import-lease';
export { guardSample } from './engine/guard-sample';
export { ImportRepository } from './engine/import.repository';
export { type Reject } from './engine/rejects';
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
export { cyclesToReenrich, noteImported } from './reenrich/cycle-enrichment';
export { type ReenrichReport, type Reenrichment, reenrich } from './reenrich/reenrich';
export { clearSample } from './masters/clear-sample';
export { type MastersOptions, type MastersReport, importMasters } from './masters/import-masters';
export { type MasterFileReport } from './masters/master-files';
export { SampleRefusedError } from './masters/sample-refused-error';
export { fecSource } from './sources/choose-fec-source';
export { FecFolder } from './sources/fec-folder';
export { FecHttp, type FecHttpOptions } from './sources/fec-http';
export {
  type FecFile,
  type FecFileKind,
  type FecFileName,
  type FecFileOptions,
  type FecSource,
} from './sources/fec-source';
export { type FilingFacts, type FilingOutcome, type FilingReport, type StoredFacts } from './filings/filing-report';
export { type FilingSource, type FilingsRequest, importFilings } from './filings/import-filings';
export { isSampleWhole, noteSampleWhole } from './masters/sample-mark';
