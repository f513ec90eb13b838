import { type BatchType, type FieldMapping, type FiledSpec } from '@donorlens/primitives';

/** What is the same for all items of a chunk. */
export interface ChunkSpec {
  readonly batchId: string;
  readonly type: BatchType;
  readonly format: 'csv' | 'json' | 'fec';
  /** Header of a delimited file: a record with another number of fields is ragged. Null for JSON items. */
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  /** Condition the age on having reached this one, 0 to 100; null for everybody. */
  readonly minAge: number | null;
  /** Row number of the chunk's first item; the first of a batch is 1. */
  readonly firstRow: number;
  readonly rows: number;
  /** Of an import's chunk; null or missing where a client sent it. */
  readonly filed?: FiledSpec | null;
}
