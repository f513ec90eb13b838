import { type BatchType, type FieldMapping } from '@donorlens/primitives';
import { type Batch } from '../batch';

/** `itcont` is the FEC's header-less file of 21 columns without quoting; `json` is a parsed array of queries. */
export type InputFormat = 'csv' | 'itcont' | 'ndjson' | 'json';

export interface IntakeRequest {
  readonly apiKeyId: string;
  readonly type: BatchType;
  readonly format: InputFormat;
  /** Reference data to answer from. */
  readonly releaseId: string;
  readonly idempotencyKey?: string | null;
  /** `map.<field>=<column>` as given: our field's name to the caller's column. */
  readonly mapping?: Readonly<Record<string, string>>;
  readonly minAge?: number | null;
  /** Rows this key may send in a day (UTC); null for no limit. */
  readonly batchRowsPerDay?: number | null;
}

export interface AcceptedBatch {
  readonly batch: Batch;
  /** True when the same key and body had been accepted before: this is that batch. */
  readonly replayed: boolean;
}

/** The first rows of an input as they would be understood; nothing is stored. */
export interface BatchPreview {
  readonly format: 'csv' | 'json';
  readonly delimiter: string | null;
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  readonly rows: number;
  /** Records as a chunk would hold them, to be enriched for the preview. */
  readonly input: Buffer;
}
