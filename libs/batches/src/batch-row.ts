import { type GroupBasis, basisOf } from '@donorlens/demographics';
import { type BatchType, type EthnicityOption, type FieldMapping } from '@donorlens/primitives';
import { type Batch, type BatchState, type ItemFormat } from './batch';

/** A row of the table `batch`. */
export interface BatchRow {
  id: string;
  api_key_id: string;
  idempotency_key: string | null;
  name: string | null;
  type: BatchType;
  input_format: ItemFormat;
  columns: string[] | null;
  mapping: FieldMapping | null;
  min_age: number | null;
  age_basis: GroupBasis | null;
  ethnicity_basis: EthnicityOption | null;
  state: BatchState;
  rows_total: number;
  chunks_total: number;
  chunks_done: number;
  ok_rows: number;
  partial_rows: number;
  not_found_rows: number;
  invalid_rows: number;
  failed_rows: number;
  match_rows: number;
  no_match_rows: number;
  tie_rows: number;
  skipped_rows: number;
  pending_rows: number;
  data_release: string | null;
  error_code: string | null;
  created_at: Date;
  started_at: Date | null;
  enriched_at: Date | null;
  located_at: Date | null;
  finished_at: Date | null;
  expires_at: Date | null;
}

export const batchOf = (row: BatchRow): Batch => ({
  id: row.id,
  apiKeyId: row.api_key_id,
  idempotencyKey: row.idempotency_key,
  name: row.name,
  type: row.type,
  itemFormat: row.input_format,
  columns: row.columns,
  mapping: row.mapping ?? {},
  minAge: row.min_age,
  ageBasis: row.age_basis ?? basisOf(row.min_age),
  ethnicityBasis: row.ethnicity_basis ?? 'surname',
  state: row.state,
  rowsTotal: row.rows_total,
  chunksTotal: row.chunks_total,
  chunksDone: row.chunks_done,
  counts: {
    ok: row.ok_rows,
    partial: row.partial_rows,
    not_found: row.not_found_rows,
    invalid: row.invalid_rows,
    failed: row.failed_rows,
  },
  addresses: {
    match: row.match_rows,
    noMatch: row.no_match_rows,
    tie: row.tie_rows,
    skipped: row.skipped_rows,
    pending: row.pending_rows,
  },
  releaseId: row.data_release ?? '',
  errorCode: row.error_code,
  createdAt: row.created_at,
  startedAt: row.started_at,
  enrichedAt: row.enriched_at,
  geocodedAt: row.located_at,
  finishedAt: row.finished_at,
  expiresAt: row.expires_at,
});
