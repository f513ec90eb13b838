import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BatchAddresses } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { LOGGER, type Logger } from '@donorlens/observability';
import { CallProducer, ErrorLog } from '@donorlens/queues';
import { type Term } from './scheduling/leadership';

const TICK_MS = 250; // an address waits for so long at most until a call carries it, beside the second it waits for others
const SLOW_EVERY = 4;
/** A call whose job nobody has taken for that long may have lost it; where it has not, nothing happens. */
const LOST_AFTER_SECONDS = 5;
/** Jobs added in one tick. */
const MOST_AT_ONCE = 1000;

/**
 * Sees to it that addresses travel: makes calls of those that wait, frees the calls of workers that are gone, adds jobs
 * for calls, and completes batches that have waited in vain, for as long as the term lasts. Every step may run twice and
 * in two processes at a time; the states in Postgres decide.
 */
@Injectable()
export class Locating {
  private readonly errors: ErrorLog;

  constructor(
    private readonly calls: CallRepository,
    private readonly batches: BatchAddresses,
    private readonly queue: CallProducer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'addresses');
  }

  async during(term: Term): Promise<void> {
    for (let ticks = 0; !term.signal.aborted; ticks++) {
      if (term.isCurrent()) await this.tick(ticks % SLOW_EVERY === 0);
      await pause(TICK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  private async tick(isSlow: boolean): Promise<void> {
    await this.step(() => this.move(isSlow));
    if (isSlow) await this.step(() => this.complete());
  }

  /** The database is away: everything waits in it, and the next tick looks again. */
  private async step(work: () => Promise<unknown>): Promise<void> {
    await work().catch(this.errors.report);
  }

  private async move(isSlow: boolean): Promise<void> {
    if (await this.calls.isIdle()) return;
    await this.step(() => this.free());
    await this.step(() => this.calls.gather());
    if (isSlow) await this.add(await this.calls.lost(LOST_AFTER_SECONDS, MOST_AT_ONCE));
    const due = await this.calls.due(MOST_AT_ONCE);
    if (due.length > 0) await this.add(due.slice(0, await this.queue.room()));
  }

  private async free(): Promise<void> {
    const leasesExpired = await this.calls.freeExpired();
    if (leasesExpired > 0) this.logger.info({ leasesExpired }, 'calls of workers that are gone');
  }

  /** First the job, then its mark: a crash between the two adds the job again. A queue that is away says so itself. */
  private async add(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const isAdded = await this.queue.enqueue(ids.map((callId) => ({ callId }))).then(
      () => true,
      () => false,
    );
    if (isAdded) await this.calls.markEnqueued(ids);
  }

  private async complete(): Promise<void> {
    const batches = await this.batches.completeImpatient(this.config.geocoder.patienceSeconds);
    if (batches > 0) this.logger.warn({ batches }, 'batches completed with addresses pending: no answer for too long');
  }
}
