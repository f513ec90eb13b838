import { type PoolClient } from 'pg';
import { type BatchType, type FieldMapping, type ImportSpec, type OutcomeCounts } from '@donorlens/primitives';
import { type ChunkRef } from '@donorlens/queues';
import { type AddressCounts, type ItemFormat } from './batch';

/** A chunk that this worker holds until its lease ends. */
export interface ClaimedChunk extends ChunkRef {
  readonly leaseId: string;
  readonly firstRow: number;
  readonly rows: number;
  /** Claims so far that ended in a crash or in a fault of the chunk's own, and this one: 1 for the first. */
  readonly attempts: number;
  /** Rows that crashed a process twice; they become `failed: poison` without being read. */
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
    /** Null for a chunk of a client's batch. */
    readonly importSpec: ImportSpec | null;
  };
  /**
   * Records, inflated: comma records of RFC 4180, JSON texts or import records, one after the other, each ended by LF.
   */
  readonly input: Buffer;
}

/** What became of the addresses of a chunk. */
export interface ChunkAddresses {
  readonly addresses: AddressCounts;
  /** Rows that would be `ok` but are `partial`, because their address leads to no single location. */
  readonly partial: number;
}

/** Row counts by outcome. The rows of each ChunkStore extend it. */
export interface CountedRows {
  readonly counts: OutcomeCounts;
}

/** Stores the rows of a chunk: results of a client's batch, or contributions of an import. */
export interface ChunkStore<Rows extends CountedRows> {
  /**
   * Writes the rows in the transaction of the chunk's commit.
   * @returns what became of their addresses, if they have any
   */
  store(client: PoolClient, chunk: ClaimedChunk, rows: Rows): Promise<ChunkAddresses | void>;
}

/** Injection token of the worker's ChunkStore. */
export const CHUNK_STORE = Symbol('chunk-store');

/** The queue as the reconciler uses it: a hint that work waits. The reconciler adds lost jobs again. */
export interface ChunkQueue {
  /**
   * Adds a job for each chunk that has none.
   * @param options.isAgain - the jobs may be lost: unless a job waits, a new one is added even if the old one exists
   * @throws if the queue is unavailable
   */
  enqueue(refs: readonly ChunkRef[], options?: { readonly isAgain: boolean }): Promise<void>;
  /** How many more jobs may wait there now; 0 if the queue does not answer. */
  remainingCapacity(): Promise<number>;
}

/** The queue as the intake uses it after its commit: best effort, returns at once, never throws. */
export interface ChunkHint {
  enqueueBestEffort(refs: readonly ChunkRef[]): void;
}

/** Injection token of a ChunkHint. */
export const CHUNK_HINT = Symbol('chunk-hint');
