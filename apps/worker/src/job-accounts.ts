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
import { type QueueName } from '@donorlens/queues';
import { isWeather } from './weather';

/** What a job did: items by what became of them, by the names that counters and logs have for it. */
export type JobTally = Readonly<Record<string, number>>;

type AccountedJob = Pick<Job, 'name' | 'attemptsStarted' | 'processedOn' | 'timestamp'>;

/** For a job that failed and does not throw: whoever tries again is known, and it is not the queue. */
export interface JobRun {
  failed(): void;
}

/**
 * What is the same for every job: its ids in each line that it logs and in its span, its line at the end, its duration,
 * and the counters of the service.
 */
@Injectable()
export class JobAccounts {
  constructor(
    private readonly counter: WorkCounter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param work  null: there was nothing to do */
  async of<T extends object>(
    queue: QueueName,
    job: AccountedJob,
    ids: Omit<LogContext, 'job'>,
    work: (run: JobRun) => Promise<T | null>,
    tallyOf: (result: T) => JobTally,
  ): Promise<T | null> {
    return withJobContext({ job: job.name, ...ids }, async () => {
      const start = performance.now();
      const state: { outcome: JobOutcome; tally: JobTally } = { outcome: 'failed', tally: {} };
      let hasFailed = false;
      try {
        const result = await work({ failed: () => void (hasFailed = true) });
        if (result !== null) state.tally = tallyOf(result);
        state.outcome = hasFailed ? 'failed' : result === null ? 'nothing' : 'done';
        return result;
      } catch (error) {
        if (isWeather(error)) state.outcome = 'put_off'; // it is nobody's failure, and tried again
        throw error;
      } finally {
        this.enter(queue, job, performance.now() - start, state);
      }
    });
  }

  private enter(
    queue: QueueName,
    job: AccountedJob,
    ranMs: number,
    { outcome, tally }: { outcome: JobOutcome; tally: JobTally },
  ): void {
    const items = Object.values(tally).reduce((sum, count) => sum + count, 0);
    observeJob(queue, outcome, ranMs / 1000);
    if (outcome === 'done') this.counter.jobDone(queue, items, tally);
    if (outcome === 'failed') this.counter.jobFailed(queue);
    this.logger.debug(
      {
        attempt: job.attemptsStarted,
        queuedMs: (job.processedOn ?? job.timestamp) - job.timestamp,
        ranMs: Math.round(ranMs),
        items,
        ...tally,
      },
      `job: ${outcome}`,
    );
  }
}
