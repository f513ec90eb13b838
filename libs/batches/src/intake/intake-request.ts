import { type GroupBasis, type YearGroup } from '@donorlens/demographics';
import { type BatchType, type ContributionField, type EthnicityOption, type FieldMapping } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { type TextEncoding } from '@donorlens/tabular';

/** `itcont` is the FEC's header-less file of 21 columns without quoting; `json` is a parsed array of queries. */
export type InputFormat = 'csv' | 'itcont' | 'ndjson' | 'json';

export interface IntakeRequest {
  readonly apiKeyId: string;
  /** File name, shown to the client. */
  readonly name?: string | null;
  readonly type: BatchType;
  readonly format: InputFormat;
  /** Name or number of a sheet, if the input is a workbook; its first visible one if missing. */
  readonly sheet?: string | undefined;
  /** Data release to enrich from. */
  readonly releaseId: string;
  readonly idempotencyKey?: string | null;
  /**
   * `map.<field>=<column>` as given: column of the client by field name. Empty: no column of a delimited file, the
   * default keys of JSON items.
   */
  readonly mapping?: Readonly<Record<string, string>>;
  /** True for a preview: required columns may be missing. */
  readonly isDraft?: boolean;
  readonly minAge?: number | null;
  /** Null if ages are those of the name, with `minAge`. */
  readonly ageBasis?: GroupBasis | null;
  /** Ages of donors as they are now, for the basis `donors`. */
  readonly donorAges?: readonly YearGroup[] | null;
  readonly ethnicityBasis?: EthnicityOption;
  /** Receives a webhook at the end of the batch. */
  readonly webhookUrl?: string | null;
  /** Rows this key may send in a day (UTC); null for no limit. */
  readonly batchRowsPerDay?: number | null;
}

/** A batch whose stored rows are the input of another one. */
export interface RepeatedRows {
  readonly batch: Pick<Batch, 'id' | 'columns' | 'mapping' | 'itemFormat'>;
  /** Not called if a batch with the same idempotency key exists. */
  readonly records: () => AsyncIterable<Buffer>;
}

export interface AcceptedBatch {
  readonly batch: Batch;
  /** True when the same key and body had been accepted before: this is that batch. */
  readonly replayed: boolean;
}

/** The first rows of an input as a batch would read them; nothing is stored. */
export interface BatchPreview {
  readonly format: 'csv' | 'json';
  /** Null for JSON and for workbooks. */
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  readonly mapping: FieldMapping;
  readonly encoding: TextEncoding | 'utf-16';
  /** The sheet that is read, and all sheets; only of a workbook. */
  readonly sheet?: string;
  readonly sheets?: readonly string[];
  /** A file format whose columns are all known. */
  readonly recognised: 'openfec' | 'itcont' | null;
  /** Groups of fields of which one is needed and none has a column; only of a draft. */
  readonly missing: readonly (readonly ContributionField[])[];
  /** Records with a misplaced quote, among those that were read. */
  readonly oddQuotes: number;
  /** A date among the first rows that can only have its day first; null without one and for JSON. */
  readonly dayFirstDate: string | null;
  readonly rows: number;
  /** Records as a chunk would hold them, to be enriched for the preview. */
  readonly input: Buffer;
}
