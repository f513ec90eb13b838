import { type ChunkRef } from '@donorlens/queues';

/** The queue as the reconciler sees it: a hint that work waits. What it loses is added again. */
export interface ChunkQueue {
  /** Adds a job for each chunk; a chunk that has one keeps it. Throws where the queue is away. */
  enqueue(refs: readonly ChunkRef[]): Promise<void>;
  /** How many more jobs may wait there now; 0 where the queue does not answer. */
  room(): Promise<number>;
}

/** The queue as the intake sees it, after the commit: best effort, returns at once, never throws. */
export interface ChunkHint {
  hint(refs: readonly ChunkRef[]): void;
}

/** Injection token of a ChunkHint. */
export const CHUNK_HINT = Symbol('chunk-hint');
