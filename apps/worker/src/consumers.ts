import { BullRegistrar } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { CONSUMED, type Consumable } from './consumed';
import { queueNames } from './queue-names';
import { Watchdog } from './watchdog';

const CHECK_MS = 5_000;
const ACTIVE_MS = 20_000; // a chunk takes well under 1 s, a suspect one stops at its next row, a call is given back
const AFTERWARDS_MS = 5_000; // for what other modules close

/** One queue, what works it off, and the watch over both. */
interface Consumer {
  readonly queue: string;
  readonly processor: Consumable;
  readonly concurrency: number;
  readonly held: () => Promise<number | null>;
  readonly watchdog: Watchdog;
}

/** Opens the processors' consumers, watches them, and closes them before anything they need is closed. */
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
    this.consumers = this.found();
    this.open();
    this.timer = setInterval(() => void this.watch(), CHECK_MS);
  }

  /** Stops taking jobs, lets those in work end, closes within 5 s, and sees to it that the process ends. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    clearInterval(this.timer);
    for (const { processor } of this.consumers) processor.stop();
    await Promise.all(this.consumers.map(({ processor }) => processor.worker.pause(true)));
    const until = performance.now() + ACTIVE_MS;
    while (this.areInWork() && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
    await Promise.all(this.consumers.map(({ processor }) => processor.worker.close()));
    if (signal) setTimeout(() => process.exit(0), AFTERWARDS_MS).unref();
  }

  /** Jobs in hand, by queue. */
  inWork(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.consumers.map(({ queue, processor }) => [queue, processor.inWork]));
  }

  private found(): readonly Consumer[] {
    return queueNames(this.config.workerQueues).map((queue) => {
      const { processor, producer, concurrency, longestJobMs } = CONSUMED[queue];
      const queued = this.modules.get(producer, { strict: false });
      return {
        queue,
        processor: this.modules.get(processor, { strict: false }),
        concurrency: concurrency(this.config),
        held: () => queued.held(),
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
      worker.on('error', this.errors.report);
      worker.on('completed', () => watchdog.finished());
      worker.on('failed', (_job, error) => {
        watchdog.finished();
        this.errors.report(error);
      });
    }
  }

  private async watch(): Promise<void> {
    const verdicts = await Promise.all(this.consumers.map(async ({ watchdog, held }) => watchdog.check(await held())));
    const stuck = this.consumers.filter((_, i) => verdicts[i] !== 'fine').map(({ queue }) => queue);
    if (stuck.length === 0) return;
    if (verdicts.includes('give-up')) {
      this.logger.fatal({ queues: stuck }, 'no job finished although the queue answers and has work; ending');
      process.exit(1);
    }
    this.logger.error(
      { queues: stuck },
      'no job finished although the queue answers and has work; opening new consumers',
    );
    this.reopen();
  }

  /** All of them: the registrar opens no single one. Jobs in work go on, and whoever gets them again finds them taken. */
  private reopen(): void {
    for (const { processor } of this.consumers) void processor.worker.close(true);
    this.open();
  }
}
