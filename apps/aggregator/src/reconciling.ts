import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Reconciler, type ReconcilerReport } from '@donorlens/batches';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog, QueueProducer } from '@donorlens/queues';
import { type Term } from './scheduling/leadership';

const TICK_MS = 1_000;
/** Comparing counters with chunks mends nothing, and is the longest read of a tick. */
const COMPARE_EVERY = 10;

/** Has the reconciler mend batches once a second for as long as the term lasts. */
@Injectable()
export class Reconciling {
  private readonly errors: ErrorLog;

  constructor(
    private readonly reconciler: Reconciler,
    private readonly queue: QueueProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'reconciler');
  }

  async during(term: Term): Promise<void> {
    for (let ticks = 0; !term.signal.aborted; ticks++) {
      if (term.isCurrent()) await this.tick(ticks % COMPARE_EVERY === 0, term);
      await pause(TICK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  private async tick(compare: boolean, { signal }: Term): Promise<void> {
    try {
      this.tell(await this.reconciler.tick(this.queue, { compare }));
    } catch (error) {
      if (signal.aborted) return; // whoever stops closes the pool under it; the next leader mends
      this.errors.report(error); // the database is away: everything waits in it, and the next tick looks again
    }
  }

  private tell(report: ReconcilerReport): void {
    if (report.violations > 0) this.logger.error(report, 'batches whose counters do not agree with their chunks');
    else if (report.leasesExpired > 0) this.logger.info(report, 'reconciled');
    else if (report.enqueued > 0 || report.batchesFinished > 0) this.logger.debug(report, 'reconciled');
  }
}
