import { randomUUID } from 'node:crypto';
import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { type Job, type JobType, type Queue } from 'bullmq';
import { type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ForceCloseableQueue } from './bounded-queue';
import { queueOptions } from './connections';
import { ErrorLog } from './error-log';
import { QueueAwayError, withQueueTimeout } from './queue-away-error';
import {
  MAX_JOBS_PER_CALL,
  type CallRef,
  type ChunkRef,
  type JobData,
  type JobName,
  QUEUES,
  MAX_WAITING_JOBS,
  jobId,
} from './queues';

const CALL_MS = 2_000;
/** What Postgres calls a waiting job of a paused queue; BullMQ's types leave it out, and Redis has none. */
const PAUSED = 'paused' as JobType;

/** As the queue's server reports them. */
export interface JobCounts {
  /** Not yet taken by a worker, whether the queue is paused or not. */
  readonly waiting: number;
  readonly active: number;
}

/** A job that a worker has taken or that waits for one. */
export interface QueuedJob<J extends JobName = JobName> {
  readonly id: string;
  readonly data: JobData[J];
  readonly addedAt: Date;
  /** Null if it waits for a worker. */
  readonly takenAt: Date | null;
}

export interface JobList<J extends JobName = JobName> extends JobCounts {
  readonly isPaused: boolean;
  /** Active jobs, then waiting ones, the oldest of each first. */
  readonly jobs: readonly QueuedJob<J>[];
}

/**
 * Adds jobs of one kind to their queue, counts and lists them. Each request to the server ends within
 * 2 s. Postgres has the backlog: the aggregator adds jobs that could not be added. A job that is added twice exists once.
 */
export abstract class JobProducer<J extends JobName> {
  protected readonly errors: ErrorLog;
  /** False until the first attempt to connect has ended: before that, BullMQ would hold a call forever. */
  private hasOpened = false;
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
      .finally(() => (this.hasOpened = true));
  }

  /** Resolves when the queue is connected, has failed to connect, or after 2 s. For commands that ask only once. */
  waitUntilOpened(): Promise<void> {
    return withQueueTimeout(CALL_MS, 'connecting', this.opening).catch(() => undefined);
  }

  /**
   * Adds a job for each reference; one that has a job already keeps it.
   * @param isAgain - true if the references had jobs that no worker took or whose worker was killed. If no job waits in
   *   the queue, the old jobs are lost or still locked, and jobs with new ids are added
   * @throws QueueAwayError within 2 s for each 500, and logs it
   */
  async enqueue(refs: readonly JobData[J][], { isAgain = false } = {}): Promise<void> {
    const suffix = isAgain && refs.length > 0 && (await this.waiting()) === 0 ? `.${randomUUID()}` : '';
    for (let first = 0; first < refs.length; first += MAX_JOBS_PER_CALL) {
      const jobs = refs
        .slice(first, first + MAX_JOBS_PER_CALL)
        .map((data) => ({ name: this.job, data, opts: { jobId: jobId(this.job, data) + suffix } }));
      await this.call('add', () => this.queue.addBulk(jobs));
    }
  }

  /** How many more jobs may wait now; 0 if the queue does not answer. */
  async remainingCapacity(): Promise<number> {
    const waiting = await this.waiting();
    return waiting === null ? 0 : Math.max(0, MAX_WAITING_JOBS - waiting);
  }

  /** Jobs that no worker has taken yet; null if the queue does not answer. */
  async waiting(): Promise<number | null> {
    return (await this.counts())?.waiting ?? null;
  }

  /**
   * Jobs that workers should be processing: active ones, and waiting ones unless the queue is paused. Null if it does
   * not answer.
   */
  async countRunnableJobs(): Promise<number | null> {
    const [counts, isPaused] = await Promise.all([this.counts(), this.isPaused()]);
    return counts && (isPaused ? counts.active : counts.waiting + counts.active);
  }

  /** One request to the server; null if it does not answer. */
  counts(): Promise<JobCounts | null> {
    return this.answer('count', async () => {
      const { waiting = 0, paused = 0, active = 0 } = await this.queue.getJobCounts('waiting', PAUSED, 'active');
      return { waiting: waiting + paused, active };
    });
  }

  /** The oldest jobs, at most `limit` of each state. Null if the queue does not answer. */
  list(limit: number): Promise<JobList<J> | null> {
    return this.answer('list', async () => {
      // BullMQ on Postgres would apply a limit to the newest jobs. Waiting ones are read first: none is missed if taken.
      const waiting = await this.queue.getRanges(['waiting'], 0, -1, true);
      const active = await this.queue.getRanges(['active'], 0, -1, true);
      const taken = new Set(active);
      const stillWaiting = waiting.filter((id) => !taken.has(id));
      const ids = [...active.slice(0, limit), ...stillWaiting.slice(0, limit)];
      const jobs = await Promise.all(ids.map((id) => this.queue.getJob(id)));
      return {
        isPaused: await this.queue.isPaused(),
        active: active.length,
        waiting: stillWaiting.length,
        // a job that ended meanwhile is undefined
        jobs: jobs.flatMap((job) => (job ? [toQueuedJob<J>(job, taken.has(String(job.id)))] : [])),
      };
    });
  }

  /** Null if the queue does not answer. */
  isPaused(): Promise<boolean | null> {
    return this.answer('is it paused', () => this.queue.isPaused());
  }

  /** Pauses or resumes the queue for all workers; active jobs finish. Idempotent. @throws QueueAwayError */
  async setPaused(isPaused: boolean): Promise<void> {
    await this.call(isPaused ? 'pause' : 'resume', () => (isPaused ? this.queue.pause() : this.queue.resume()));
  }

  private async answer<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    if (!this.hasOpened) return null; // as at every start; a server that is away is reported by the queue's own error event
    return this.call(what, work).catch(() => null);
  }

  /** Logs errors here, because callers retry without a log entry: a full Redis answers, but refuses jobs. */
  private async call<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (!this.hasOpened) throw new QueueAwayError(`queue ${what}: not connected yet`);
    try {
      return await withQueueTimeout(CALL_MS, `queue ${what}`, work());
    } catch (error) {
      this.errors.report(error);
      if (error instanceof QueueAwayError) throw error;
      throw new QueueAwayError(`queue ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A waiting job whose worker was killed still has the time when it was taken. */
const toQueuedJob = <J extends JobName>(job: Job, isActive: boolean): QueuedJob<J> => ({
  id: String(job.id),
  data: job.data as JobData[J],
  addedAt: new Date(job.timestamp),
  takenAt: isActive ? new Date(Number(job.processedOn)) : null,
});

/** Adds calls to the geocoder. */
@Injectable()
export class CallProducer extends JobProducer<'geocode-call'> {
  constructor(@InjectQueue(QUEUES.geocode) queue: Queue<CallRef>, @Inject(LOGGER) logger: Logger) {
    super('geocode-call', queue, logger);
  }
}

/** Adds chunks that are to be enriched. */
@Injectable()
export class ChunkProducer extends JobProducer<'enrich-chunk'> {
  private hinting = false;

  constructor(@InjectQueue(QUEUES.enrich) queue: Queue<ChunkRef>, @Inject(LOGGER) logger: Logger) {
    super('enrich-chunk', queue, logger);
  }

  /**
   * Best effort, for use after a commit: returns at once and never throws. Adds at most one window of jobs, and only
   * one call runs at a time, so that nothing piles up here while the queue is away.
   */
  enqueueBestEffort(refs: readonly ChunkRef[]): void {
    if (this.hinting) return;
    this.hinting = true;
    void this.remainingCapacity()
      .then((room) => this.enqueue(refs.slice(0, room)))
      .catch(() => undefined)
      .finally(() => (this.hinting = false));
  }
}

export interface QueueProducers {
  readonly enrich: ChunkProducer;
  readonly geocode: CallProducer;
  close(): Promise<void>;
}

/** The producers of a process without Nest modules, such as a command. Waits up to 2 s for the connections. */
export async function openProducers(config: Config, logger: Logger): Promise<QueueProducers> {
  const options = queueOptions(config);
  const [enrich, geocode] = [
    new ForceCloseableQueue(QUEUES.enrich, options),
    new ForceCloseableQueue(QUEUES.geocode, options),
  ];
  const producers = { enrich: new ChunkProducer(enrich, logger), geocode: new CallProducer(geocode, logger) };
  await Promise.all([producers.enrich.waitUntilOpened(), producers.geocode.waitUntilOpened()]);
  return { ...producers, close: async () => void (await Promise.all([enrich.close(), geocode.close()])) };
}
