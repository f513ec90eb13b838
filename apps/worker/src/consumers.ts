import { BullRegistrar } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog, QueueProducer } from '@donorlens/queues';
import { EnrichChunkProcessor } from './enrich-chunk.processor';
import { Watchdog } from './watchdog';

const CHECK_MS = 5_000;
const ACTIVE_MS = 20_000; // a chunk takes well under 1 s, a suspect one stops at its next row
const AFTERWARDS_MS = 5_000; // for what other modules close

/** Opens the processors' consumers, watches them, and closes them before anything they need is closed. */
@Injectable()
export class Consumers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly watchdog = new Watchdog();
  private readonly errors: ErrorLog;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registrar: BullRegistrar,
    private readonly processor: EnrichChunkProcessor,
    private readonly producer: QueueProducer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'worker');
  }

  onApplicationBootstrap(): void {
    this.open();
    this.timer = setInterval(() => void this.watch(), CHECK_MS);
  }

  /** Stops taking jobs, lets those in work end, closes within 5 s, and sees to it that the process ends. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    clearInterval(this.timer);
    this.processor.stop();
    await this.processor.worker.pause(true);
    const until = performance.now() + ACTIVE_MS;
    while (this.processor.inWork > 0 && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
    await this.processor.worker.close();
    if (signal) setTimeout(() => process.exit(0), AFTERWARDS_MS).unref();
  }

  private open(): void {
    this.registrar.register();
    const { worker } = this.processor;
    worker.concurrency = this.config.workerConcurrency;
    worker.on('error', this.errors.report);
    worker.on('completed', () => this.watchdog.finished());
    worker.on('failed', (_job, error) => {
      this.watchdog.finished();
      this.errors.report(error);
    });
  }

  private async watch(): Promise<void> {
    const verdict = this.watchdog.check(await this.producer.held());
    if (verdict === 'fine') return;
    if (verdict === 'give-up') {
      this.logger.fatal('no job finished although the queue answers and has work; ending');
      process.exit(1);
    }
    this.logger.error('no job finished for 60 s although the queue answers and has work; opening a new consumer');
    void this.processor.worker.close(true);
    this.open();
  }
}
