import { Inject, Injectable } from '@nestjs/common';
import { BatchRepository, SingleLookupAddresses } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { RetentionClock } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { WebhookDeliveries } from '@donorlens/webhooks';
import { type LeaderTask } from '../scheduling/leader-task-runner';
import { type LeadershipTerm } from '../scheduling/leadership';

const BATCHES_PER_RUN = 10;

/**
 * Erases batches and addresses of single requests after their retention period, every 5 s. A clock that jumps forward
 * erases nothing within an hour (docs/decisions/0020-retention-clock.md). It is a separate task, so that
 * deleting millions of rows does not delay the reconciler. A crash or the end of a term may leave a batch half erased;
 * the first run of each term, and the first run after a failure, erases the rest.
 */
@Injectable()
export class RetentionTask implements LeaderTask {
  readonly name = 'retention';
  readonly intervalMs = 5_000;
  /** Term in which no batch is partly erased. */
  private cleanTerm: string | null = null;

  constructor(
    private readonly batches: BatchRepository,
    private readonly singles: SingleLookupAddresses,
    private readonly clock: RetentionClock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'batchTtlHours'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run({ fence, signal }: LeadershipTerm): Promise<void> {
    await this.clock.advance();
    const isClean = this.cleanTerm === fence.epoch;
    this.cleanTerm = null;
    if (!isClean) await this.batches.deleteLeftovers(signal);
    const batchesExpired = await this.batches.expire(BATCHES_PER_RUN, signal);
    const addressesExpired = await this.singles.expire(this.config.batchTtlHours, signal);
    if (batchesExpired + addressesExpired > 0)
      this.logger.info({ batchesExpired, addressesExpired }, 'expired data erased');
    this.cleanTerm = fence.epoch;
  }
}

/**
 * Sends the webhooks of batches that have ended, once a second. Messages are stored before they are sent, so a crash
 * leaves them in Postgres. The next leader sends a message that was sent but not recorded again, with the same id.
 * Deliveries continue after the run that starts them and end with the term, so this task has no timeout.
 */
@Injectable()
export class WebhookTask implements LeaderTask {
  readonly name = 'webhooks';
  readonly intervalMs = 1_000;

  constructor(private readonly deliveries: WebhookDeliveries) {}

  async run({ fence, signal }: LeadershipTerm): Promise<void> {
    await this.deliveries.createDue();
    await this.deliveries.deliver(fence, signal);
  }
}
