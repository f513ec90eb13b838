import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { type Queue } from 'bullmq';
import { LOGGER, type Logger } from '@donorlens/observability';
import { QueueAwayError, within } from './deadline';
import { ErrorLog } from './error-log';
import { BULK, type ChunkRef, QUEUES, WINDOW, jobId } from './queues';

const CALL_MS = 2_000;

/**
 * Adds jobs and asks how many wait. Every call ends within 2 s whatever the server does. The queue is a hint:
 * what could not be added is added by the reconciler later, and adding twice is adding once.
 */
@Injectable()
export class QueueProducer {
  private readonly errors: ErrorLog;
  /** False until the first connection: before that, a call would wait inside BullMQ and be kept there for ever. */
  private opened = false;
  private hinting = false;

  constructor(
    @InjectQueue(QUEUES.enrich) private readonly queue: Queue<ChunkRef, unknown, 'enrich-chunk'>,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'queue');
    queue.on('error', this.errors.report);
    void queue
      .waitUntilReady()
      .catch(this.errors.report)
      .finally(() => (this.opened = true));
  }

  /** Adds a job for each chunk; a chunk that has one already keeps it. @throws QueueAwayError within 2 s for each 500 */
  async enqueue(refs: readonly ChunkRef[]): Promise<void> {
    for (let first = 0; first < refs.length; first += BULK) {
      const jobs = refs.slice(first, first + BULK).map(({ batchId, seq }) => ({
        name: 'enrich-chunk' as const,
        data: { batchId, seq },
        opts: { jobId: jobId('enrich-chunk', { batchId, seq }) },
      }));
      await this.call('add', () => this.queue.addBulk(jobs));
    }
  }

  /**
   * Best effort, for after a commit: returns at once and never throws. At most one window's worth, and only one call
   * at a time, so a queue that is away collects nothing here.
   */
  hint(refs: readonly ChunkRef[]): void {
    if (this.hinting) return;
    this.hinting = true;
    void this.room()
      .then((room) => this.enqueue(refs.slice(0, room)))
      .catch(this.errors.report)
      .finally(() => (this.hinting = false));
  }

  /** How many more jobs may wait now; 0 where the queue does not answer. */
  async room(): Promise<number> {
    const waiting = await this.waiting();
    return waiting === null ? 0 : Math.max(0, WINDOW - waiting);
  }

  /** Jobs that no worker has taken yet; null where the queue does not answer. */
  waiting(): Promise<number | null> {
    return this.count('waiting');
  }

  /** Jobs that wait or are in work; null where the queue does not answer. */
  held(): Promise<number | null> {
    return this.count('waiting', 'active');
  }

  private async count(...states: ('waiting' | 'active')[]): Promise<number | null> {
    if (!this.opened) return null; // at every start; a server that is away tells of itself
    try {
      return await this.call('count', () => this.queue.getJobCountByTypes(...states));
    } catch (error) {
      this.errors.report(error);
      return null;
    }
  }

  private async call<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (!this.opened) throw new QueueAwayError(`queue ${what}: not connected yet`);
    try {
      return await within(CALL_MS, `queue ${what}`, work());
    } catch (error) {
      if (error instanceof QueueAwayError) throw error;
      throw new QueueAwayError(`queue ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
