import { type JobType, type Queue } from 'bullmq';
import { type Logger } from '@donorlens/observability';
import { QueueAwayError, within } from './deadline';
import { ErrorLog } from './error-log';
import { BULK, type JobData, type JobName, WINDOW, jobId } from './queues';

const CALL_MS = 2_000;
/** What Postgres calls a waiting job of a paused queue; BullMQ's types leave it out, and Redis has none. */
const PAUSED = 'paused' as JobType;

/** As the queue's server has them. */
export interface JobCounts {
  /** No worker has taken them yet, whether the queue is paused or not. */
  readonly waiting: number;
  readonly active: number;
}

/**
 * Adds jobs of one kind to their queue and asks how many wait. Every call ends within 2 s whatever the server does. The
 * queue is a hint: what could not be added is added by the aggregator later, and adding twice is adding once.
 */
export abstract class JobProducer<J extends JobName> {
  protected readonly errors: ErrorLog;
  /** False until the first connection: before that, a call would wait inside BullMQ and be kept there for ever. */
  private isOpen = false;
  private readonly opening: Promise<void>;

  constructor(
    private readonly job: J,
    private readonly queue: Queue<object>,
    logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, `queue ${queue.name}`);
    queue.on('error', this.errors.report);
    this.opening = queue
      .waitUntilReady()
      .then(() => undefined, this.errors.report)
      .finally(() => (this.isOpen = true));
  }

  /** Once it is connected, or cannot be, or has not been for 2 s: for who asks but once. */
  opened(): Promise<void> {
    return within(CALL_MS, 'connecting', this.opening).catch(() => undefined);
  }

  /** Adds a job for each reference; one that has a job already keeps it. @throws QueueAwayError within 2 s for each 500 */
  async enqueue(refs: readonly JobData[J][]): Promise<void> {
    for (let first = 0; first < refs.length; first += BULK) {
      const jobs = refs
        .slice(first, first + BULK)
        .map((data) => ({ name: this.job, data, opts: { jobId: jobId(this.job, data) } }));
      await this.call('add', () => this.queue.addBulk(jobs));
    }
  }

  /** How many more jobs may wait now; 0 where the queue does not answer. */
  async room(): Promise<number> {
    const waiting = await this.waiting();
    return waiting === null ? 0 : Math.max(0, WINDOW - waiting);
  }

  /** Jobs that no worker has taken yet; null where the queue does not answer. */
  async waiting(): Promise<number | null> {
    return (await this.counts())?.waiting ?? null;
  }

  /** Jobs that workers should be at: those in work, and unless the queue is paused those that wait; null where it does not answer. */
  async held(): Promise<number | null> {
    const [counts, isPaused] = await Promise.all([this.counts(), this.isPaused()]);
    return counts && (isPaused ? counts.active : counts.waiting + counts.active);
  }

  /** By one question; null where the queue does not answer. */
  counts(): Promise<JobCounts | null> {
    return this.answer('count', async () => {
      const { waiting = 0, paused = 0, active = 0 } = await this.queue.getJobCounts('waiting', PAUSED, 'active');
      return { waiting: waiting + paused, active };
    });
  }

  /** Null where the queue does not answer. */
  isPaused(): Promise<boolean | null> {
    return this.answer('is it paused', () => this.queue.isPaused());
  }

  /** Workers take no further job, or take them again; jobs in hand end. Twice is once. @throws QueueAwayError */
  async setPaused(isPaused: boolean): Promise<void> {
    await this.call(isPaused ? 'pause' : 'resume', () => (isPaused ? this.queue.pause() : this.queue.resume()));
  }

  private async answer<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    if (!this.isOpen) return null; // at every start; a server that is away tells of itself
    try {
      return await this.call(what, work);
    } catch (error) {
      this.errors.report(error);
      return null;
    }
  }

  private async call<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (!this.isOpen) throw new QueueAwayError(`queue ${what}: not connected yet`);
    try {
      return await within(CALL_MS, `queue ${what}`, work());
    } catch (error) {
      if (error instanceof QueueAwayError) throw error;
      throw new QueueAwayError(`queue ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
