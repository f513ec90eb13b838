import { Inject, Injectable } from '@nestjs/common';
import { type Job } from 'bullmq';
import {
  type JobOutcome,
  LOGGER,
  type LogContext,
  type Logger,
  observeJob,
  withJobContext,
} from '@donorlens/observability';
import { WorkCounter } from '@donorlens/operations';
import { type CallRef, type ChunkRef, type QueueName } from '@donorlens/queues';
import { isTransientError } from './chunk-fault';

/** Items of a job by outcome, under the names that counters and logs use. */
export type ItemCounts = Readonly<Record<string, number>>;

type RecordedJob = Pick<Job<ChunkRef | CallRef>, 'name' | 'data' | 'attemptsStarted' | 'processedOn' | 'timestamp'>;

/** The job in log entries and spans. */
export const jobContext = ({ name, data }: Pick<RecordedJob, 'name' | 'data'>): LogContext => ({
  job: name,
  ...('callId' in data ? { callId: data.callId } : { batchId: data.batchId, chunk: data.seq }),
});

/** Lets a job report a failure without an exception, because the queue must not retry it. */
export interface JobReport {
  failed(): void;
}

/**
 * Logging and metrics of all jobs: adds their ids to log entries and spans, logs their end and duration, and updates
 * the counters of the service.
 */
@Injectable()
export class JobRecorder {
  constructor(
    private readonly counter: WorkCounter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param work - returns null if there was nothing to do */
  async run<T extends object>(
    queue: QueueName,
    job: RecordedJob,
    work: (run: JobReport) => Promise<T | null>,
    countsOf: (result: T) => ItemCounts,
  ): Promise<T | null> {
    return withJobContext(jobContext(job), async () => {
      const start = performance.now();
      const state: { outcome: JobOutcome; counts: ItemCounts } = { outcome: 'failed', counts: {} };
      let hasFailed = false;
      try {
        const result = await work({ failed: () => void (hasFailed = true) });
        if (result !== null) state.counts = countsOf(result);
        state.outcome = hasFailed ? 'failed' : result === null ? 'nothing' : 'done';
        return result;
      } catch (error) {
        if (isTransientError(error)) state.outcome = 'put_off'; // not a failure: the job is retried
        throw error;
      } finally {
        this.record(queue, job, performance.now() - start, state);
      }
    });
  }

  private record(
    queue: QueueName,
    job: RecordedJob,
    ranMs: number,
    { outcome, counts }: { outcome: JobOutcome; counts: ItemCounts },
  ): void {
    const items = Object.values(counts).reduce((sum, count) => sum + count, 0);
    observeJob(queue, outcome, ranMs / 1000);
    if (outcome === 'done') this.counter.jobDone(queue, items, counts);
    if (outcome === 'failed') this.counter.jobFailed(queue);
    this.logger.debug(
      {
        attempt: job.attemptsStarted,
        queuedMs: (job.processedOn ?? job.timestamp) - job.timestamp,
        ranMs: Math.round(ranMs),
        items,
        ...counts,
      },
      `job: ${outcome}`,
    );
  }
}
