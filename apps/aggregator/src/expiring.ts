import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BatchRepository, SingleRequests } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { type Term } from './scheduling/leadership';

const LOOK_MS = 5_000;
const BATCHES_AT_A_TIME = 10;

/**
 * Erases what has been kept long enough, for as long as the term lasts. Apart from the reconciler, whose next tick must
 * not wait for millions of rows to go. What a crash or the end of a term leaves half erased, the next term finishes.
 */
@Injectable()
export class Expiring {
  private readonly errors: ErrorLog;

  constructor(
    private readonly batches: BatchRepository,
    private readonly singles: SingleRequests,
    @Inject(CONFIG) private readonly config: Pick<Config, 'batchTtlHours'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'retention');
  }

  async during(term: Term): Promise<void> {
    let mayBeLeft = true;
    while (!term.signal.aborted) {
      if (term.isCurrent()) mayBeLeft = !(await this.look(term.signal, mayBeLeft));
      await pause(LOOK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  /** False where something may be left half erased. */
  private async look(signal: AbortSignal, mayBeLeft: boolean): Promise<boolean> {
    try {
      if (mayBeLeft) await this.batches.eraseLeftovers(signal);
      const batchesExpired = await this.batches.expire(BATCHES_AT_A_TIME, signal);
      const addressesExpired = await this.singles.expire(this.config.batchTtlHours, signal);
      if (batchesExpired + addressesExpired > 0)
        this.logger.info({ batchesExpired, addressesExpired }, 'erased what was kept long enough');
      return true;
    } catch (error) {
      this.errors.report(error);
      return false;
    }
  }
}
