import { type RequestedAddress } from '@donorlens/locations';
import { type BatchType, type FieldMapping, type ImportSpec, type OutcomeCounts } from '@donorlens/primitives';

/** Specification of a chunk, which applies to all of its items. */
export interface ChunkSpec {
  readonly batchId: string;
  readonly type: BatchType;
  readonly format: 'csv' | 'json' | 'fec';
  /** Header of a delimited file: a record with another number of fields is ragged. Null for JSON items. */
  readonly columns: readonly string[] | null;
  readonly mapping: FieldMapping;
  /** Minimum age in completed years, 0 to 100: ages are those of people who have reached it. Null for none. */
  readonly minAge: number | null;
  /** Row number of the first item; rows of a batch are numbered from 1. */
  readonly firstRow: number;
  readonly rows: number;
  /** Set for a chunk of an import; null or missing for a batch of a client. */
  readonly importSpec?: ImportSpec | null;
}

/** Enriches the rows of a chunk one by one into lines of COPY text. */
export interface EnrichedLines {
  readonly counts: OutcomeCounts;
  /** Lines written so far. */
  readonly copy: Buffer;
  /** Distinct addresses of the rows so far, in the order of their first rows; empty if addresses are not needed. */
  readonly addresses: readonly RequestedAddress[];
  /** Valid rows so far without an address that can be geocoded; 0 if addresses are not needed. */
  readonly skippedRows: number;
  /** Number of the current row. */
  readonly row: number;
  /** Moves to the next row; false at the end. @throws ChunkMismatchError */
  next(): boolean;
  /**
   * Enriches the row and writes its line. May be called again for the same row after it threw.
   * @param isPoison - the row fails without being read
   */
  enrich(isPoison: boolean): void;
}
