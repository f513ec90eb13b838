import { type RequestedAddress } from '@donorlens/locations';
import { type BatchType, type FieldMapping, type ImportSpec, type OutcomeCounts } from '@donorlens/primitives';

/** What is the same for all items of a chunk. */
export interface ChunkSpec {
  readonly batchId: string;
  readonly type: BatchType;
  readonly format: 'csv' | 'json' | 'fec';
  /** Header of a delimited file: a record with another number of fields is ragged. Null for JSON items. */
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  /** Condition the age on having reached this one, 0 to 100; null for everyone. */
  readonly minAge: number | null;
  /** Row number of the chunk's first item; the first of a batch is 1. */
  readonly firstRow: number;
  readonly rows: number;
  /** Of an import's chunk; null or missing where a client sent it. */
  readonly filed?: ImportSpec | null;
}

/** Enriches the rows of a chunk one by one into lines of COPY text. */
export interface EnrichedLines {
  readonly counts: OutcomeCounts;
  /** Lines so far. */
  readonly copy: Buffer;
  /** Distinct addresses of the rows so far, in the order of their first rows; empty if addresses are not needed. */
  readonly addresses: readonly RequestedAddress[];
  /** Valid rows so far without an address that can be geocoded; 0 if addresses are not needed. */
  readonly skippedRows: number;
  /** Number of the row that `next` went to. */
  readonly row: number;
  /** Goes to the next row; false at the end. @throws ChunkMismatchError */
  next(): boolean;
  /**
   * Enriches the row and writes its line. May be called again for the same row where it threw.
   * @param isPoison the row fails without being read
   */
  enrich(isPoison: boolean): void;
}
