import { Injectable, Inject } from '@nestjs/common';
import { type Pool } from 'pg';
import { BatchRepository, ReconcilerRepository } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { CallRepository } from '@donorlens/geocoding';
import { type OperatorRequest, QueuePauses, sampleQueues } from '@donorlens/operations';
import { QUEUES, CallProducer, QueueProducer } from '@donorlens/queues';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type LeaderTask } from '../scheduling/leader-task-runner';
import { type LeadershipTerm } from '../scheduling/leadership';
import { OperatorRequestRunner } from '../scheduling/operator-request-runner';

/**
 * Runs operator requests that take a moment, once a second. Requests that take longer run in the task that does the same
 * on schedule. A request that a crash interrupts stays open, and the next leader runs it again.
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

  /** @returns the result, as the audit log shows it */
  async execute({ action, target }: Pick<OperatorRequest, 'action' | 'target'>): Promise<object> {
    switch (action) {
      case 'redrive':
        return target.queue === QUEUES.enrich ? { chunks: await this.chunks.redrive() } : this.calls.redrive();
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
 * Pauses and resumes the queues as recorded in Postgres, once a second. The queue server only carries the state: after it
 * has lost everything the pause is set again within a second, during which workers may take a job. Jobs in progress end.
 */
@Injectable()
export class QueuePauseTask implements LeaderTask {
  readonly name = 'queue pauses';
  readonly intervalMs = 1_000;
  readonly timeoutMs = 60_000;

  constructor(
    private readonly pauses: QueuePauses,
    private readonly enrich: QueueProducer,
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

/** Stores depth and oldest age of the queues for the charts of /ops, three times a minute: the last sample of it stays. */
@Injectable()
export class QueueSampleTask implements LeaderTask {
  readonly name = 'queue samples';
  readonly intervalMs = 20_000;

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  run(): Promise<void> {
    return sampleQueues(this.pool);
  }
}
