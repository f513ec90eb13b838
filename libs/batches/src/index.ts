export {
  type AddressCounts,
  BATCH_STATES,
  type Batch,
  type BatchOptions,
  type BatchState,
  type ItemFormat,
} from './batch';
export { type BatchRow, batchOf } from './batch-row';
export { type BatchPage, BatchRepository, type OwnedBatch, isPageMark } from './batch.repository';
export { BatchesModule } from './batches.module';
export {
  CHUNK_STORE,
  type ChunkAddresses,
  type ChunkHint,
  type ChunkQueue,
  type ChunkStore,
  type ClaimedChunk,
  type CountedRows,
} from './chunk';
export { BatchAddresses, type GeocodedAddress, geocodingTimeoutAt } from './batch-address.repository';
export { CHUNK_LEASE_MS, ChunkRepository, MAX_CHUNK_WAIT_SECONDS } from './chunk.repository';
export { CountMismatchError } from './batch-counters.store';
export { BatchIntake, type IntakeSource } from './intake/batch-intake';
export { IntakeError, type IntakeErrorCode } from './intake/intake-error';
export { type BuiltChunk } from './chunk.store';
export { ChunkBuilder } from './intake/chunk-builder';
export { chunksOfBytes } from './intake/chunk-stream';
export { ItemKeys } from './intake/item-keys';
export { GZIP_BOMB, isGzipBomb } from './intake/input-bytes';
export { INTAKE_LIMITS } from './intake/limits';
export { readerOf } from './intake/input-readers';
export { type AcceptedBatch, type BatchPreview, type InputFormat, type IntakeRequest } from './intake/intake-request';
export { GeocodingRate, type BatchProgress, type StageProgress, progressOf } from './progress';
export { Reconciler, type ReconcilerReport } from './reconciler';
export { type ErrorRow, FirstErrors, ResultPages, ResultsGoneError } from './results/result-page.repository';
export { type ResultAreas } from './results/result-areas';
export { BatchResults, type ResultsFormat, type ResultsOptions, ResultsNotReadyError } from './results/batch-results';
export { BatchAges } from './results/batch-ages.repository';
export { type BatchSummary, type SummaryTables, summaryCsv } from './results/batch-summary';
export { BatchSummaries } from './results/batch-summary.repository';
export { RESULT_COLUMNS } from './results/result-rows';
export { type EnrichedRows, ResultStore, storeResults } from './results/result.store';
export {
  MAX_SINGLE_LOOKUP_ADDRESSES,
  SINGLE_LOOKUPS_BATCH_ID,
  SingleLookupAddresses,
} from './pending-address.repository';
export { ReconcilerRepository } from './reconciler.repository';
export { IntakeRepository } from './intake/intake.repository';
export { isFinal, isOpen } from './batch-state';
export { ImportBatches, type ImportBatchesProgress, type NewImportBatch } from './import-batch.repository';
