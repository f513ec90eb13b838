import { Inject, Injectable } from '@nestjs/common';
import { BatchAddresses } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { LOGGER, type Logger } from '@donorlens/observability';
import { CallProducer, ErrorLog } from '@donorlens/queues';
import { type LeaderTask } from '../scheduling/leader-task-runner';

const SLOW_EVERY = 4;
/** If no worker takes the job of a call within this time, the job may be lost. Adding it again is harmless. */
const LOST_AFTER_SECONDS = 5;
const MAX_JOBS_PER_RUN = 1000;

/**
 * Groups pending addresses into geocoder calls, frees the calls of crashed workers and adds jobs for calls, four times
 * a second. Once a second it also completes batches that have waited too long for the geocoder. An address waits at
 * most 250 ms for its call, after the second in which further addresses can join it. Every step may run twice, also in
 * two processes at a time, because the states in Postgres decide.
 */
@Injectable()
export class GeocodingTask implements LeaderTask {
  readonly name = 'geocoding';
  readonly intervalMs = 250;
  readonly timeoutMs = 60_000;
  private readonly errors: ErrorLog;
  private runs = 0;

  constructor(
    private readonly calls: CallRepository,
    private readonly batches: BatchAddresses,
    private readonly queue: CallProducer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, this.name);
  }

  async run(): Promise<void> {
    const isSlow = this.runs++ % SLOW_EVERY === 0;
    const steps = [() => this.moveCalls(isSlow), ...(isSlow ? [() => this.completeTimedOut()] : [])];
    await this.runAll(steps);
  }

  private async moveCalls(isSlow: boolean): Promise<void> {
    if (await this.calls.isIdle()) return;
    await this.runAll([() => this.freeExpired(), () => this.calls.formCalls(), () => this.addJobs(isSlow)]);
  }

  /** Runs the steps in order. A step that fails is logged, and neither stops the others nor delays the next run. */
  private async runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    for (const step of steps) await step().catch(this.errors.report);
  }

  private async freeExpired(): Promise<void> {
    const leasesExpired = await this.calls.freeExpired();
    if (leasesExpired > 0) this.logger.info({ leasesExpired }, 'geocoder calls of crashed workers were released');
  }

  private async addJobs(isSlow: boolean): Promise<void> {
    if (isSlow) await this.enqueue(await this.calls.findLost(LOST_AFTER_SECONDS, MAX_JOBS_PER_RUN), { isAgain: true });
    const due = await this.calls.findDue(MAX_JOBS_PER_RUN);
    if (due.length > 0) await this.enqueue(due.slice(0, await this.queue.remainingCapacity()));
  }

  /** Adds the job, then marks the call: after a crash in between, it adds the job again. The queue logs its errors. */
  private async enqueue(ids: readonly string[], options?: { isAgain: boolean }): Promise<void> {
    if (ids.length === 0) return;
    const refs = ids.map((callId) => ({ callId }));
    const isAdded = await this.queue.enqueue(refs, options).then(
      () => true,
      () => false,
    );
    if (isAdded) await this.calls.markEnqueued(ids);
  }

  private async completeTimedOut(): Promise<void> {
    const batches = await this.batches.completeTimedOut(this.config.geocoder.batchTimeoutSeconds);
    if (batches > 0)
      this.logger.warn({ batches }, 'batches completed with addresses pending: the geocoder did not answer in time');
  }
}
