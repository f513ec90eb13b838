import { BullRegistrar } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { CONSUMED, type Consumable, queueNames } from './consumed';
import { jobContext } from './job-recorder';

const CHECK_MS = 5_000;
const ACTIVE_MS = 20_000; // a chunk takes well under 1 s; a row-by-row retry stops at its next row; a call is released
const EXIT_MS = 5_000; // for other modules to close

/** One queue with its processor and watchdog. */
interface Consumer {
  readonly queue: string;
  readonly processor: Consumable;
  readonly concurrency: number;
  readonly held: () => Promise<number | null>;
  readonly watchdog: Watchdog;
}

/** Opens the consumers of the processors, monitors them, and closes them before the services that they use. */
@Injectable()
export class Consumers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private consumers: readonly Consumer[] = [];
  private readonly errors: ErrorLog;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly modules: ModuleRef,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'worker');
  }

  onApplicationBootstrap(): void {
    this.consumers = this.createConsumers();
    this.open();
    this.timer = setInterval(() => void this.watch(), CHECK_MS);
  }

  /** Stops taking jobs, waits up to 20 s for active jobs, and ends the process if other modules need more than 5 s. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    clearInterval(this.timer);
    for (const { processor } of this.consumers) processor.stop();
    await Promise.all(this.consumers.map(({ processor }) => processor.worker.pause(true)));
    const until = performance.now() + ACTIVE_MS;
    while (this.areInWork() && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
    await Promise.all(this.consumers.map(({ processor }) => processor.worker.close()));
    if (signal) setTimeout(() => process.exit(0), EXIT_MS).unref();
  }

  /** Number of active jobs by queue. */
  inWork(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.consumers.map(({ queue, processor }) => [queue, processor.inWork]));
  }

  private createConsumers(): readonly Consumer[] {
    return queueNames(this.config.workerQueues).map((queue) => {
      const { processor, producer, concurrency, longestJobMs } = CONSUMED[queue];
      const queued = this.modules.get(producer, { strict: false });
      return {
        queue,
        processor: this.modules.get(processor, { strict: false }),
        concurrency: concurrency(this.config),
        held: () => queued.countRunnableJobs(),
        watchdog: new Watchdog(longestJobMs(this.config)),
      };
    });
  }

  private areInWork(): boolean {
    return this.consumers.some(({ processor }) => processor.inWork > 0);
  }

  private open(): void {
    this.registrar.register();
    for (const { processor, concurrency, watchdog } of this.consumers) {
      const { worker } = processor;
      worker.concurrency = concurrency;
      worker.on('error', (error) => this.errors.report(error));
      worker.on('completed', () => watchdog.finished());
      worker.on('failed', (job, error) => {
        watchdog.finished();
        this.errors.report(error, job && jobContext(job));
      });
    }
  }

  private async watch(): Promise<void> {
    const verdicts = await Promise.all(this.consumers.map(async ({ watchdog, held }) => watchdog.check(await held())));
    const stuck = this.consumers.filter((_, i) => verdicts[i] !== 'fine').map(({ queue }) => queue);
    if (stuck.length === 0) return;
    if (verdicts.includes('give-up')) {
      this.logger.fatal({ queues: stuck }, 'no job finished although the queue answers and has work; worker exits');
      process.exit(1);
    }
    this.logger.error(
      { queues: stuck },
      'no job finished although the queue answers and has work; opening new consumers',
    );
    this.reopen();
  }

  /** Recreates all consumers, because the registrar cannot open just one. Active jobs continue under their leases. */
  private reopen(): void {
    for (const { processor } of this.consumers) void processor.worker.close(true);
    this.open();
  }
}

const SILENCE_MS = 60_000;
const MAX_RECREATIONS = 3;

export type Verdict = 'fine' | 'recreate' | 'give-up';

/**
 * Detects a consumer that takes no job although the queue answers and has work. After 60 s the consumer is created
 * again; after the third time in a row the process ends and its supervisor starts a new one. For queues with long jobs
 * the time is longer by the maximum duration of a job, because all jobs of the queue may be active in some worker.
 * The number of jobs comes from the queue server. If only Postgres has open work, the reconciler is not running, and a
 * new consumer would find no job either.
 */
export class Watchdog {
  private since: number;
  private recreations = 0;

  /** @param longestJobMs - maximum duration of a job that runs without an error */
  constructor(
    private readonly longestJobMs = 0,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.since = this.now();
  }

  /** Call when a job has ended, with or without an error: the consumer works. */
  finished(): void {
    this.since = this.now();
    this.recreations = 0;
  }

  /** @param jobs - number of jobs in the queue; null if the queue does not answer, which a new consumer cannot fix */
  check(jobs: number | null): Verdict {
    if (jobs === null || jobs === 0) this.since = this.now();
    if (this.now() - this.since < this.longestJobMs + SILENCE_MS) return 'fine';
    this.since = this.now();
    return ++this.recreations > MAX_RECREATIONS ? 'give-up' : 'recreate';
  }
}
