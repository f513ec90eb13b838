import { Injectable } from '@nestjs/common';
import { type ChunkRef } from '@donorlens/queues';
import { type ChunkQueue } from './chunk';
import { ReconcilerRepository } from './reconciler.repository';

/** Result of one tick. */
export interface ReconcilerReport {
  readonly leasesExpired: number;
  readonly enqueued: number;
  readonly chunksCancelled: number;
  readonly batchesFinished: number;
  /** Deleted waits and pending addresses of batches that were deleted or ended without completing. */
  readonly addressesDeleted: number;
  /** Batches whose counters do not agree with their chunks: must be 0; 0 if they were not compared. */
  readonly violations: number;
}

/** A job that no worker has taken for that long may be lost and is added again; if it waits, nothing happens. */
const LOST_AFTER_SECONDS = 15;
/** Jobs added per tick: all that may wait in the queue. */
const WINDOW = 1000;

/**
 * Repairs once a second what a crash leaves behind. Every statement may run twice and in two processes at a time: the
 * states in Postgres decide, and a job that is added twice exists once.
 */
@Injectable()
export class Reconciler {
  constructor(private readonly repository: ReconcilerRepository) {}

  /**
   * Runs every step, also after one that fails.
   * @param compare - whether counters are compared with chunks, which reads all chunks of unfinished batches
   * @throws the first error of the database; a queue that is away is no error
   */
  async tick(queue: ChunkQueue, { compare = true } = {}): Promise<ReconcilerReport> {
    const faults: unknown[] = [];
    const step = (work: () => Promise<number>): Promise<number> =>
      work().catch((fault: unknown) => {
        faults.push(fault);
        return 0;
      });
    const leasesExpired = await step(() => this.repository.freeExpiredLeases());
    const chunksCancelled = await step(() => this.repository.cancelWaitingChunks());
    const cancelled = await step(() => this.repository.endCancelledBatches());
    const completed = await step(() => this.repository.completeFinished());
    const addressesDeleted = await step(() => this.repository.deletePendingAddresses());
    const enqueued = await step(() => this.enqueue(queue));
    const violations = compare ? await step(() => this.repository.violations()) : 0;
    if (faults.length > 0) throw faults[0];
    return {
      leasesExpired,
      enqueued,
      chunksCancelled,
      batchesFinished: cancelled + completed,
      addressesDeleted,
      violations,
    };
  }

  /** Lost jobs first: they have waited longest, and already count in the window. */
  private async enqueue(queue: ChunkQueue): Promise<number> {
    const lost = await this.repository.enqueuedBefore(LOST_AFTER_SECONDS, WINDOW);
    if (!(await this.add(queue, lost, { isAgain: true }))) return 0;
    const room = Math.min(WINDOW, await queue.remainingCapacity());
    const pending = room > 0 ? await this.repository.pending(room) : [];
    return (await this.add(queue, pending)) ? lost.length + pending.length : lost.length;
  }

  /** The job comes first, then its mark: after a crash between the two the job is added again. */
  private async add(queue: ChunkQueue, refs: readonly ChunkRef[], options?: { isAgain: boolean }): Promise<boolean> {
    if (refs.length === 0) return true;
    try {
      await queue.enqueue(refs, options);
    } catch {
      return false; // the queue has logged the error; the next tick retries
    }
    await this.repository.markEnqueued(refs);
    return true;
  }
}
