import { type Queue } from 'bullmq';
import { type Logger } from '@donorlens/observability';
import { QueueAwayError, within } from './deadline';
import { ErrorLog } from './error-log';
import { BULK, type JobData, type JobName, WINDOW, jobId } from './queues';

const CALL_MS = 2_000;

/**
 * Adds jobs of one kind to their queue and asks how many wait. Every call ends within 2 s whatever the server does. The
 * queue is a hint: what could not be added is added by the aggregator later, and adding twice is adding once.
 */
export abstract class JobProducer<J extends JobName> {
  protected readonly errors: ErrorLog;
  /** False until the first connection: before that, a call would wait inside BullMQ and be kept there for ever. */
  private opened = false;

  constructor(
    private readonly job: J,
    private readonly queue: Queue<object>,
    logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, `queue ${queue.name}`);
    queue.on('error', this.errors.report);
    void queue
      .waitUntilReady()
      .catch(this.errors.report)
      .finally(() => (this.opened = true));
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
  waiting(): Promise<number | null> {
    return this.count('waiting');
  }

  /** Jobs that wait or are in work; null where the queue does not answer. */
  held(): Promise<number | null> {
    return this.count('waiting', 'active');
  }

  /** Jobs that no worker has taken yet, and those in work, by one question; null where the queue does not answer. */
  async counts(): Promise<{ readonly waiting: number; readonly active: number } | null> {
    return this.answer('count', async () => {
      const { wait = 0, waiting = wait, active = 0 } = await this.queue.getJobCounts('waiting', 'active');
      return { waiting, active };
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

  private async count(...states: ('waiting' | 'active')[]): Promise<number | null> {
    return this.answer('count', () => this.queue.getJobCountByTypes(...states));
  }

  private async answer<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    if (!this.opened) return null; // at every start; a server that is away tells of itself
    try {
      return await this.call(what, work);
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
