import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { WebhookDeliveries } from '@donorlens/webhooks';
import { LEASE, type Term } from './scheduling/leadership';

/** Between the end of a batch and its first message, at most. */
const TICK_MS = 1_000;

/** Has the ends of batches told to those who asked for it, for as long as the term lasts. */
@Injectable()
export class Notifying {
  private readonly errors: ErrorLog;

  constructor(
    private readonly deliveries: WebhookDeliveries,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'webhooks');
  }

  async during(term: Term): Promise<void> {
    while (!term.signal.aborted) {
      if (term.isCurrent()) await this.tick(term);
      await pause(TICK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  private async tick({ epoch, signal }: Term): Promise<void> {
    try {
      await this.deliveries.createDue();
      await this.deliveries.deliver({ lease: LEASE, epoch }, signal);
    } catch (error) {
      this.errors.report(error); // the database is away, or another one leads: messages wait in the database
    }
  }
}
