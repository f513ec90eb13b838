import { Inject, Injectable } from '@nestjs/common';
import { Reconciler, type ReconcilerReport } from '@donorlens/batches';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ChunkProducer } from '@donorlens/queues';
import { type LeaderTask } from '../scheduling/leader-task-runner';

/** Every tenth run compares counters with chunks: the comparison corrects nothing and is the slowest query of a run. */
const COMPARE_EVERY = 10;

/**
 * Re-enqueues chunks whose jobs were lost, frees chunks of crashed workers and completes batches, once a second. After
 * a crash during a run, Postgres still has the remaining work, and the next run of any leader finds it.
 */
@Injectable()
export class ReconcilerTask implements LeaderTask {
  readonly name = 'reconciler';
  readonly intervalMs = 1_000;
  readonly timeoutMs = 60_000;
  private runs = 0;

  constructor(
    private readonly reconciler: Reconciler,
    private readonly queue: ChunkProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const compare = this.runs++ % COMPARE_EVERY === 0;
    this.log(await this.reconciler.tick(this.queue, { compare }));
  }

  private log(report: ReconcilerReport): void {
    if (report.violations > 0)
      this.logger.error(report, 'counters of batches differ from their chunks: see /ops and the runbook');
    else if (report.leasesExpired > 0) this.logger.info(report, 'reconciled');
    else if (report.enqueued > 0 || report.batchesFinished > 0) this.logger.debug(report, 'reconciled');
  }
}
