import { type BatchType, type FieldMapping, type FiledSpec } from '@donorlens/primitives';
import { type ChunkRef } from '@donorlens/queues';
import { type ItemFormat } from './batch';

/** A chunk that this worker holds until its lease ends. */
export interface ClaimedChunk extends ChunkRef {
  readonly leaseId: string;
  readonly firstRow: number;
  readonly rows: number;
  /** Claims so far that ended in a crash or in a fault of the chunk's own, and this one: 1 for the first try. */
  readonly runs: number;
  /** Rows that a process died on twice; they become `failed: poison` without being read. */
  readonly poisonRows: readonly number[];
  readonly releaseId: string;
  /** How to read `input`. */
  readonly spec: {
    readonly batchId: string;
    readonly type: BatchType;
    readonly format: ItemFormat;
    readonly columns: readonly string[] | null;
    readonly mapping: FieldMapping;
    readonly minAge: number | null;
    readonly firstRow: number;
    readonly rows: number;
    /** Of an import's chunk; null where a client sent it. */
    readonly filed: FiledSpec | null;
  };
  /** Records, inflated: comma records of RFC 4180, JSON texts or import records, one after the other, each ended by LF. */
  readonly input: Buffer;
}
