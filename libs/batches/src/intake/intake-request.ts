import { type BatchType, type ContributionField, type FieldMapping } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { type TextEncoding } from './text-encoding';

/** `itcont` is the FEC's header-less file of 21 columns without quoting; `json` is a parsed array of queries. */
export type InputFormat = 'csv' | 'itcont' | 'ndjson' | 'json';

export interface IntakeRequest {
  readonly apiKeyId: string;
  /** Of the file, for its sender to know it again. */
  readonly name?: string | null;
  readonly type: BatchType;
  readonly format: InputFormat;
  /** Reference data to answer from. */
  readonly releaseId: string;
  readonly idempotencyKey?: string | null;
  /** `map.<field>=<column>` as given: our field's name to the caller's column, '' for none. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** Of a preview: the columns are shown although some that the type needs are not known yet. */
  readonly isDraft?: boolean;
  readonly minAge?: number | null;
  /** Where the end of the batch is told to. */
  readonly webhookUrl?: string | null;
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
  readonly encoding: TextEncoding;
  /** A file of which we know every column. */
  readonly recognised: 'openfec' | 'itcont' | null;
  /** Of each group one field is needed and none has a column; only of a draft. */
  readonly missing: readonly (readonly ContributionField[])[];
  /** Records with a quote where none belongs, among those that were read. */
  readonly oddQuotes: number;
  readonly rows: number;
  /** Records as a chunk would hold them, to be enriched for the preview. */
  readonly input: Buffer;
}
