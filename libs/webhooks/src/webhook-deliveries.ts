import { type Fence } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { type ClaimedDelivery, type DeliveryRepository } from './delivery.repository';
import { messageOf, signedHeaders, webhookSecret } from './message';
import { type Answer, post, type SendError, toSendError } from './post';
import { type Resolve, resolveWebhookHost } from './resolve';
import { type DeliveryResult, deliveryResult } from './delivery-result';

const MAX_CONCURRENT = 64;
const MAX_PER_HOST = 4;
const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'donorlens-webhooks/1' };

export interface DeliveryOptions {
  readonly addressSecret: string;
  /** See checkWebhookUrl. */
  readonly allowedHosts: readonly string[];
  readonly resolve?: Resolve;
  /** Limit for one message, in milliseconds. */
  readonly totalMs?: number;
}

/**
 * Sends webhooks for batches that have ended. Delivery is at least once, under the same id: a message whose sender died
 * before it recorded the result is sent again. Messages are claimed first, so two leaders that overlap send none at the
 * same time. Each host has a limit of concurrent deliveries, so that a slow host delays no other.
 */
export class WebhookDeliveries {
  private readonly inProgress = new Map<Promise<void>, string>();

  constructor(
    private readonly repository: DeliveryRepository,
    private readonly logger: Logger,
    private readonly options: DeliveryOptions,
  ) {}

  /**
   * Creates messages for batches that ended or whose last address was geocoded, for a limited number of batches.
   * @returns number of messages
   */
  createDue(): Promise<number> {
    return this.repository.createDue();
  }

  /**
   * Starts deliveries that are due, up to the limits, and does not wait for the answers.
   * @param signal - aborts deliveries in progress; the next leader sends them again
   * @returns number of deliveries that were started
   * @throws StaleFenceError if another aggregator is the leader
   */
  async deliver(fence: Fence, signal: AbortSignal): Promise<number> {
    const messages = MAX_CONCURRENT - this.inProgress.size;
    if (messages === 0) return 0;
    const busyHosts = [...new Set(this.inProgress.values())];
    const claimed = await this.repository.claim(fence, { messages, perHost: MAX_PER_HOST, busyHosts });
    for (const delivery of claimed) this.start(delivery, signal);
    return claimed.length;
  }

  /** Resolves when every delivery in progress has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.inProgress.keys());
  }

  private start(delivery: ClaimedDelivery, signal: AbortSignal): void {
    const sending = this.send(delivery, signal)
      .catch((err: unknown) => {
        // Aborted, or the database does not answer: the claim expires, and the message is sent again.
        if (!signal.aborted)
          this.logger.warn(
            { err, delivery: delivery.id },
            'webhook result could not be recorded; the message will be sent again',
          );
      })
      .finally(() => this.inProgress.delete(sending));
    this.inProgress.set(sending, delivery.host);
  }

  private async send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { keyFault: error, attempts } = delivery;
    const result: DeliveryResult = error
      ? { state: 'failed', status: null, error, waitMs: 0 }
      : deliveryResult(await this.outcomeOf(delivery, signal), attempts, new Date(), Math.random());
    await this.repository.recordResult(delivery, result);
    this.log(delivery, result);
  }

  private async outcomeOf(
    { id, event, url, batch }: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<Answer | SendError> {
    const body = messageOf(event, batch);
    const { addressSecret, allowedHosts, resolve = resolveWebhookHost, totalMs } = this.options;
    const secret = webhookSecret(addressSecret, batch.apiKeyId);
    const headers = { ...FIXED_HEADERS, ...signedHeaders(secret, id, Math.floor(Date.now() / 1000), body) };
    try {
      return await post(url, headers, body, { allowedHosts, resolve, signal, totalMs });
    } catch (error) {
      signal.throwIfAborted();
      return toSendError(error);
    }
  }

  /** Without the URL, which may contain a secret of the receiver. */
  private log({ id, event, attempts, batch }: ClaimedDelivery, { state, status, error }: DeliveryResult): void {
    const fields = { delivery: id, event, batchId: batch.id, attempts, status, error };
    if (state === 'failed') this.logger.warn(fields, 'webhook delivery failed, no further attempt');
    else
      this.logger.info(
        fields,
        state === 'delivered' ? 'webhook delivered' : 'webhook delivery failed, will be retried',
      );
  }
}
