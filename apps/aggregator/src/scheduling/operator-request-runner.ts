import { Inject, Injectable } from '@nestjs/common';
import { isTransientDatabaseError } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type RequestQueue, type OperatorRequest, OperatorRequests } from '@donorlens/operations';
import { type LeadershipTerm } from './leadership';

/**
 * Runs operator requests and records their results. A request that is interrupted by the end of a term or by an outage
 * of the database stays open and runs again, so every action must be idempotent.
 */
@Injectable()
export class OperatorRequestRunner {
  constructor(
    private readonly requests: OperatorRequests,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** False also if the database does not answer. */
  hasOpen(queue: RequestQueue): Promise<boolean> {
    return this.requests.hasUnfinishedRequest(queue).catch(() => false);
  }

  /** Runs all open requests of a queue, one after the other. @throws the database's error if it does not answer */
  async run(
    queue: RequestQueue,
    term: LeadershipTerm,
    execute: (request: OperatorRequest) => Promise<object>,
  ): Promise<void> {
    while (term.isCurrent()) {
      const request = await this.requests.claimNext(term.fence, queue);
      if (request === null) return;
      await this.runOne(request, term, execute);
    }
  }

  private async runOne(
    request: OperatorRequest,
    term: LeadershipTerm,
    execute: (request: OperatorRequest) => Promise<object>,
  ): Promise<void> {
    const { id, action, target } = request;
    try {
      const detail = await execute(request);
      await this.requests.finish(request, 'done', detail);
      this.logger.info({ request: id, action, ...target, ...detail }, 'operator request completed');
    } catch (error) {
      if (term.signal.aborted || isTransientDatabaseError(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (await this.requests.finish(request, 'failed', { message }))
        this.logger.warn({ request: id, action, ...target }, `operator request failed: ${message}`);
    }
  }
}
