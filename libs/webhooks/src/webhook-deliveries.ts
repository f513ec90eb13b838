import { type Fence } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { type ClaimedDelivery, type DeliveryRepository } from './delivery.repository';
import { messageOf } from './message';
import { type Answer, post } from './post';
import { type Resolve, resolveBySystem } from './resolve';
import { type SendFault, faultOf } from './send-fault';
import { type Verdict, verdictOf } from './verdict';
import { signedHeaders, webhookSecret } from './webhook-secret';

const AT_A_TIME = 64;
const PER_HOST = 4;
const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'donorlens-webhooks/1' };

export interface DeliveryOptions {
  readonly addressSecret: string;
  /** See checkWebhookUrl. */
  readonly allowedHosts: readonly string[];
  readonly resolve?: Resolve;
  /** Of one message. */
  readonly totalMs?: number;
}

/**
 * Tells the ends of batches to whoever asked for it. Delivery is at least once, under the same id: a message that was
 * sent by a process that died before it could say so is sent again. It is claimed first, so two leaders that overlap
 * send none at the same time; a host that is slow or dead has a few places of its own and holds up no other.
 */
export class WebhookDeliveries {
  private readonly underWay = new Map<Promise<void>, string>();

  constructor(
    private readonly repository: DeliveryRepository,
    private readonly logger: Logger,
    private readonly options: DeliveryOptions,
  ) {}

  /** Messages for batches that have ended since the last time. @returns how many */
  createDue(): Promise<number> {
    return this.repository.createDue();
  }

  /**
   * Begins to send what is due, as far as there is room, and does not wait for the answers.
   * @param signal  ends what is under way; it is sent again by the next leader
   * @returns       messages that were begun
   * @throws StaleFenceError where another one leads
   */
  async deliver(fence: Fence, signal: AbortSignal): Promise<number> {
    const messages = AT_A_TIME - this.underWay.size;
    if (messages === 0) return 0;
    const busyHosts = [...new Set(this.underWay.values())];
    const claimed = await this.repository.claim(fence, { messages, perHost: PER_HOST, busyHosts });
    for (const delivery of claimed) this.begin(delivery, signal);
    return claimed.length;
  }

  /** When everything that was begun has its verdict. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay.keys());
  }

  private begin(delivery: ClaimedDelivery, signal: AbortSignal): void {
    const sending = this.send(delivery, signal)
      .catch((err: unknown) => {
        // Aborted, or the database is away: the claim runs out, and the message is sent again.
        if (!signal.aborted)
          this.logger.warn({ err, delivery: delivery.id }, 'what became of a message is not written');
      })
      .finally(() => this.underWay.delete(sending));
    this.underWay.set(sending, delivery.host);
  }

  private async send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { keyFault: error, attempts } = delivery;
    const verdict: Verdict = error
      ? { state: 'failed', status: null, error, waitMs: 0 }
      : verdictOf(await this.outcomeOf(delivery, signal), attempts, new Date(), Math.random());
    await this.repository.settle(delivery, verdict);
    this.tell(delivery, verdict);
  }

  private async outcomeOf(
    { id, event, url, batch }: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<Answer | SendFault> {
    const body = messageOf(event, batch);
    const { addressSecret, allowedHosts, resolve = resolveBySystem, totalMs } = this.options;
    const secret = webhookSecret(addressSecret, batch.apiKeyId);
    const headers = { ...FIXED_HEADERS, ...signedHeaders(secret, id, Math.floor(Date.now() / 1000), body) };
    try {
      return await post(url, headers, body, { allowedHosts, resolve, signal, totalMs });
    } catch (error) {
      signal.throwIfAborted();
      return faultOf(error);
    }
  }

  /** Never the URL: it may hold a secret of the receiver's. */
  private tell({ id, event, attempts, batch }: ClaimedDelivery, { state, status, error }: Verdict): void {
    const line = { delivery: id, event, batchId: batch.id, attempts, status, error };
    if (state === 'failed') this.logger.warn(line, 'a message was given up');
    else this.logger.info(line, state === 'delivered' ? 'a message was delivered' : 'a message was not taken');
  }
}
