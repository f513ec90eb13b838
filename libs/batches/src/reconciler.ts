import { Injectable } from '@nestjs/common';
import { type ChunkQueue } from './chunk-queue';
import { ReconcilerRepository } from './reconciler.repository';

/** What one tick found and did. */
export interface ReconcilerReport {
  readonly leasesExpired: number;
  readonly enqueued: number;
  readonly chunksCancelled: number;
  readonly batchesFinished: number;
  /** Rows that waited or asked for addresses in vain, and are erased. */
  readonly addressesDropped: number;
  /** Batches whose counters do not agree with their chunks: must be 0, as it is where they were not compared. */
  readonly violations: number;
}

/** A job that nobody has taken for that long may be lost, and is added again; where it is not, nothing happens. */
const LOST_AFTER_SECONDS = 15;
/** Jobs added in one tick: the whole of what may wait in the queue. */
const WINDOW = 1000;

/**
 * Mends what a crash leaves behind, once a second. Every statement may run twice and in two processes at a time: the
 * states in Postgres decide, and a job added twice is a job added once.
 */
@Injectable()
export class Reconciler {
  constructor(private readonly repository: ReconcilerRepository) {}

  /**
   * Every step is taken, also where one before it fails.
   * @param compare  whether counters are compared with chunks, which reads all chunks of batches at work
   * @throws what the database said first; a queue that is away is no error
   */
  async tick(queue: ChunkQueue, { compare = true } = {}): Promise<ReconcilerReport> {
    const faults: unknown[] = [];
    const step = (work: () => Promise<number>): Promise<number> =>
      work().catch((fault: unknown) => {
        faults.push(fault);
        return 0;
      });
    const leasesExpired = await step(() => this.repository.freeExpiredLeases());
    const chunksCancelled = await step(() => this.repository.dropCancelledChunks());
    const cancelled = await step(() => this.repository.endCancelledBatches());
    const completed = await step(() => this.repository.completeFinished());
    const addressesDropped = await step(() => this.repository.letGo());
    const enqueued = await step(() => this.enqueue(queue));
    const violations = compare ? await step(() => this.repository.violations()) : 0;
    if (faults.length > 0) throw faults[0];
    return {
      leasesExpired,
      enqueued,
      chunksCancelled,
      batchesFinished: cancelled + completed,
      addressesDropped,
      violations,
    };
  }

  /** Lost jobs first: they have been waiting for longest, and their place in the window is their own. */
  private async enqueue(queue: ChunkQueue): Promise<number> {
    const lost = await this.repository.enqueuedBefore(LOST_AFTER_SECONDS, WINDOW);
    if (!(await this.add(queue, lost))) return 0;
    const room = Math.min(WINDOW, await queue.room());
    const pending = room > 0 ? await this.repository.pending(room) : [];
    return (await this.add(queue, pending)) ? lost.length + pending.length : lost.length;
  }

  /** First the job, then its mark: a crash between the two adds the job again. */
  private async add(queue: ChunkQueue, refs: readonly { batchId: string; seq: number }[]): Promise<boolean> {
    if (refs.length === 0) return true;
    try {
      await queue.enqueue(refs);
    } catch {
      return false; // the queue is away: it says so itself, and the next tick tries again
    }
    await this.repository.markEnqueued(refs);
    return true;
  }
}
