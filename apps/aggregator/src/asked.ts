import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BatchRepository, ReconcilerRepository } from '@donorlens/batches';
import { CallRepository } from '@donorlens/geocoding';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type OpsRequest } from '@donorlens/operations';
import { ErrorLog, QUEUES } from '@donorlens/queues';
import { AskedWork } from './asked-work';
import { type Term } from './scheduling/leadership';

const LOOK_MS = 1_000;

/** Does what operators ask for and what takes a moment: what takes longer runs where it runs on schedule. */
@Injectable()
export class Asked {
  private readonly errors: ErrorLog;

  constructor(
    private readonly asked: AskedWork,
    private readonly batches: BatchRepository,
    private readonly chunks: ReconcilerRepository,
    private readonly calls: CallRepository,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'requests');
  }

  async during(term: Term): Promise<void> {
    while (!term.signal.aborted) {
      if (term.isCurrent())
        await this.asked.run('prompt', term, (request) => this.answer(request)).catch(this.errors.report);
      await pause(LOOK_MS, undefined, { signal: term.signal }).catch(() => undefined);
    }
  }

  /** @returns what came of it */
  async answer({ action, target }: Pick<OpsRequest, 'action' | 'target'>): Promise<object> {
    switch (action) {
      case 'redrive':
        return target.queue === QUEUES.enrich ? { chunks: await this.chunks.redrive() } : this.calls.redrive();
      case 'retry-addresses':
        return { addresses: await this.calls.retryErrors() };
      case 'cancel-batch':
        return this.cancel(target.batch ?? '');
      default:
        throw new Error(`nobody knows how to ${action}`);
    }
  }

  private async cancel(id: string): Promise<object> {
    const batch = await this.batches.cancelAny(id);
    if (batch === null)
      throw new Error('there is no such batch of a client; imports are stopped where they were started');
    return { state: batch.state };
  }
}
