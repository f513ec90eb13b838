import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { QueuePauses } from '@donorlens/operations';
import { CallProducer, ErrorLog, QueueProducer } from '@donorlens/queues';
import { type Term } from './scheduling/leadership';

const TICK_MS = 1_000;

/**
 * Has the queues paused or running as the record in Postgres says, once a second for as long as the term lasts. The
 * queues' server only carries it out: one that has lost everything is told again, within a second, in which workers may
 * take a job. Jobs in hand end.
 */
@Injectable()
export class Pausing {
  private readonly errors: ErrorLog;

  constructor(
    private readonly pauses: QueuePauses,
    private readonly enrich: QueueProducer,
    private readonly geocode: CallProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'pausing');
  }

  async during(term: Term): Promise<void> {
    while (!term.signal.aborted) {
      if (term.isCurrent()) await this.tick(term).catch(this.errors.report); // the next tick tells it again
      await pause(TICK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  async tick(term: Pick<Term, 'epoch'>): Promise<void> {
    for (const wanted of await this.pauses.wanted()) {
      const { queue, isPaused } = wanted;
      const producer = this[queue];
      const actual = await producer.isPaused();
      if (actual === null) continue; // it says so itself, and the request stays open until it answers
      if (actual !== isPaused) {
        await producer.setPaused(isPaused);
        this.logger.info({ queue }, isPaused ? 'queue paused' : 'queue resumed');
      }
      await this.pauses.told(wanted, term);
    }
  }
}
