import { type BatchType, type FieldMapping } from '@donorlens/primitives';
import { type Batch, type BatchState, type ItemFormat } from './batch';

/** A row of `batch` as the driver gives it. */
export interface BatchRow {
  id: string;
  api_key_id: string;
  idempotency_key: string | null;
  type: BatchType;
  input_format: ItemFormat;
  columns: string[] | null;
  mapping: FieldMapping | null;
  min_age: number | null;
  state: BatchState;
  rows_total: number;
  chunks_total: number;
  chunks_done: number;
  ok_rows: number;
  partial_rows: number;
  not_found_rows: number;
  invalid_rows: number;
  failed_rows: number;
  data_release: string | null;
  error_code: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  expires_at: Date | null;
}

export const batchOf = (row: BatchRow): Batch => ({
  id: row.id,
  apiKeyId: row.api_key_id,
  idempotencyKey: row.idempotency_key,
  type: row.type,
  itemFormat: row.input_format,
  columns: row.columns,
  mapping: row.mapping ?? {},
  minAge: row.min_age,
  state: row.state,
  rowsTotal: row.rows_total,
  chunksTotal: row.chunks_total,
  chunksDone: row.chunks_done,
  tally: {
    ok: row.ok_rows,
    partial: row.partial_rows,
    not_found: row.not_found_rows,
    invalid: row.invalid_rows,
    failed: row.failed_rows,
  },
  releaseId: row.data_release ?? '',
  errorCode: row.error_code,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  expiresAt: row.expires_at,
});
