import { Injectable } from '@nestjs/common';
import { type Batch, isOpen } from '@donorlens/batches';
import { Kept, OperationsWatch, type QueueStatus } from '@donorlens/operations';
import { tallied } from '@donorlens/primitives';

/** The state of the whole service is read for it: often enough for a person, and no load where hundreds of batches are looked at. */
const KEPT_MS = 5_000;
/** Nobody waits longer for it. */
const LATE_MS = 500;
/** A younger batch is on its way, whatever is true of the queue. */
const YOUNG_MS = 5_000;

/** Why rows of a batch are not looked up, where their queue stands still: in words for who sent it, who cannot do anything about it. */
@Injectable()
export class QueueReason {
  private readonly queue: Kept<QueueStatus | null>;

  constructor(watch: OperationsWatch) {
    this.queue = new Kept(async () => {
      const { status, trouble } = await watch.look();
      return trouble ? null : (status?.queues.find(({ queue }) => queue === 'enrich') ?? null);
    }, KEPT_MS);
  }

  /** Null: they are looked up, are so already, or it is not known. */
  async of(batch: Pick<Batch, 'state' | 'tally' | 'rowsTotal' | 'createdAt'>, now: Date): Promise<string | null> {
    const isYoung = now.getTime() - batch.createdAt.getTime() < YOUNG_MS;
    if (isYoung || !isOpen(batch.state) || tallied(batch.tally) === batch.rowsTotal) return null;
    const { value: queue } = await this.queue.within(LATE_MS);
    return queue && queue.standstill !== null ? wordsOf(queue) : null;
  }
}

function wordsOf({ pausedAt, isPauseTold, workers, jobs }: QueueStatus): string | null {
  if (pausedAt !== null && !isPauseTold) return null; // workers take jobs until they have been told
  if (pausedAt !== null)
    return `work is paused since ${pausedAt.toISOString().slice(11, 16)} UTC, until whoever runs this service resumes it`;
  if (workers === 0) return 'no worker is there to take it; it goes on by itself once one is';
  if (jobs === null) return 'the queue does not answer; it goes on by itself once it does';
  return 'no work is taken at the moment; whoever runs this service sees why';
}
