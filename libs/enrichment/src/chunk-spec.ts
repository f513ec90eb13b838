import { type BatchType, type FieldMapping } from '@donorlens/primitives';

/** What is the same for all items of a chunk. */
export interface ChunkSpec {
  readonly batchId: string;
  readonly type: BatchType;
  readonly format: 'csv' | 'json';
  /** Header of a delimited file: a record with another number of fields is ragged. Null for JSON items. */
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  /** Condition the age on having reached this one, 0 to 100; null for everybody. */
  readonly minAge: number | null;
  /** Row number of the chunk's first item; the first of a batch is 1. */
  readonly firstRow: number;
  readonly rows: number;
}
