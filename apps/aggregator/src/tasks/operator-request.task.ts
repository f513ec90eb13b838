import { Injectable, Inject } from '@nestjs/common';
import { type Pool } from 'pg';
import { BatchRepository, ReconcilerRepository } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { CallRepository } from '@donorlens/geocoding';
import { type OperatorRequest, QueuePauses, sampleQueues } from '@donorlens/operations';
import { QUEUES, CallProducer, ChunkProducer } from '@donorlens/queues';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type LeaderTask } from '../scheduling/leader-task-runner';
import { type LeadershipTerm } from '../scheduling/leadership';
import { OperatorRequestRunner } from '../scheduling/operator-request-runner';

/**
 * Runs short operator requests, once a second. Long requests run in the task that does the same work on schedule. A
 * request that a crash interrupts stays open, and the next leader runs it again.
 */
@Injectable()
export class OperatorRequestTask implements LeaderTask {
  readonly name = 'operator requests';
  readonly intervalMs = 1_000;

  constructor(
    private readonly requests: OperatorRequestRunner,
    private readonly batches: BatchRepository,
    private readonly chunks: ReconcilerRepository,
    private readonly calls: CallRepository,
  ) {}

  run(term: LeadershipTerm): Promise<void> {
    return this.requests.run('prompt', term, (request) => this.execute(request));
  }

  /** @returns the result for the audit log */
  async execute({ action, target }: Pick<OperatorRequest, 'action' | 'target'>): Promise<object> {
    switch (action) {
      case 'redrive':
        return target.queue === QUEUES.enrich
          ? { chunks: await this.chunks.retryFailedChunks() }
          : this.calls.retryFailedCalls();
      case 'retry-addresses':
        return { addresses: await this.calls.retryErrors() };
      case 'cancel-batch':
        return this.cancel(target.batch ?? '');
      default:
        throw new Error(`the action ${action} is not known to this version`);
    }
  }

  private async cancel(id: string): Promise<object> {
    const batch = await this.batches.cancelAny(id);
    if (batch === null)
      throw new Error('no such batch of a client was found; stop an import in the process that started it');
    return { state: batch.state };
  }
}

/**
 * Pauses and resumes the queues as recorded in Postgres, once a second. If the queue server loses its data, this task
 * pauses the queue again within a second; until then workers may take jobs. Jobs in progress are not interrupted.
 */
@Injectable()
export class QueuePauseTask implements LeaderTask {
  readonly name = 'queue pauses';
  readonly intervalMs = 1_000;
  readonly timeoutMs = 60_000;

  constructor(
    private readonly pauses: QueuePauses,
    private readonly enrich: ChunkProducer,
    private readonly geocode: CallProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run({ fence }: Pick<LeadershipTerm, 'fence'>): Promise<void> {
    for (const wanted of await this.pauses.wanted()) {
      const { queue, isPaused } = wanted;
      const producer = this[queue];
      const actual = await producer.isPaused();
      if (actual === null) continue; // the queue does not answer: the request stays open until it does
      if (actual !== isPaused) {
        await producer.setPaused(isPaused);
        this.logger.info({ queue }, isPaused ? 'queue paused' : 'queue resumed');
      }
      await this.pauses.markApplied(wanted, fence);
    }
  }
}

/** Stores depth and oldest age of the queues for the charts of /ops every 20 s; each minute keeps its maxima. */
@Injectable()
export class QueueSampleTask implements LeaderTask {
  readonly name = 'queue samples';
  readonly intervalMs = 20_000;

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  run(): Promise<void> {
    return sampleQueues(this.pool);
  }
}
