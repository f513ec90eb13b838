import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type Lane, type OpsRequest, OpsRequests } from '@donorlens/operations';
import { LEASE, type Term } from './scheduling/leadership';

/**
 * Runs what operators ask for, and writes down what became of it. A request that the end of a term cuts short stays open:
 * the next leader runs it again, so whatever it does may be done twice.
 */
@Injectable()
export class AskedWork {
  constructor(
    private readonly requests: OpsRequests,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** False also where the database does not say. */
  isAsked(lane: Lane): Promise<boolean> {
    return this.requests.isAsked(lane).catch(() => false);
  }

  /** All that is asked in a lane, one after the other. @throws what the database says where it is away */
  async run(lane: Lane, term: Term, work: (request: OpsRequest) => Promise<object>): Promise<void> {
    while (term.isCurrent()) {
      const request = await this.requests.next({ lease: LEASE, epoch: term.epoch }, lane);
      if (request === null) return;
      await this.finish(request, term, work);
    }
  }

  private async finish(request: OpsRequest, term: Term, work: (request: OpsRequest) => Promise<object>): Promise<void> {
    const { id, action, target } = request;
    try {
      const detail = await work(request);
      await this.requests.finish(request, 'done', detail);
      this.logger.info({ request: id, action, ...target, ...detail }, 'done as asked');
    } catch (error) {
      if (term.signal.aborted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (await this.requests.finish(request, 'failed', { message }))
        this.logger.warn({ request: id, action, ...target }, `not done as asked: ${message}`);
    }
  }
}
