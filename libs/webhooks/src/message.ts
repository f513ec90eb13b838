import { hkdfSync } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Batch } from '@donorlens/batches';
import { countedRows } from '@donorlens/primitives';
import { type Config, ConfigError } from '@donorlens/config';

/** How a batch ended, or that the last pending address of a completed batch was geocoded. */
export type WebhookEvent = 'batch.completed' | 'batch.cancelled' | 'batch.failed' | 'batch.located';

/** Body of a message: counts, states and links of the batch as it is now; no rows. */
export function messageOf(event: WebhookEvent, batch: Batch): string {
  const { match, noMatch, tie, skipped, pending } = batch.addresses;
  const self = `/enrich/v1/batches/${batch.id}`;
  const at = event === 'batch.located' ? batch.geocodedAt : batch.finishedAt;
  return JSON.stringify({
    type: event,
    timestamp: (at ?? batch.createdAt).toISOString(),
    data: {
      id: batch.id,
      type: batch.type,
      state: batch.state,
      counts: { total: batch.rowsTotal, done: countedRows(batch.counts), ...batch.counts },
      addresses: { match, no_match: noMatch, tie, skipped, pending },
      data_release: batch.releaseId,
      error: batch.errorCode,
      created_at: batch.createdAt.toISOString(),
      finished_at: batch.finishedAt?.toISOString() ?? null,
      links: { self, results: `${self}/results`, errors: `${self}/errors` },
    },
  });
}

const PREFIX = 'whsec_';
const BYTES = 32;
const NO_SALT = '';

/** Every webhook secret is derived from it. @throws ConfigError if ADDRESS_SECRET is not set */
export function addressSecretOf({ addressSecret }: Pick<Config, 'addressSecret'>): string {
  if (addressSecret !== undefined) return addressSecret;
  throw new ConfigError(['ADDRESS_SECRET is needed to sign webhooks: set the same text for every process']);
}

/**
 * Secret that signs the webhooks of an API key. It is derived (RFC 5869), so none is stored: it stays the same as long as
 * the address secret and the key's id do, also after the key is rotated.
 */
export function webhookSecret(addressSecret: string, apiKeyId: string): string {
  const bytes = hkdfSync('sha256', addressSecret, NO_SALT, `donorlens webhook\0${apiKeyId}`, BYTES);
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/**
 * Headers of a message by Standard Webhooks, version 1.
 * @param sentAt - seconds since 1970
 */
export function signedHeaders(secret: string, id: string, sentAt: number, body: string): Record<string, string> {
  const signature = new Webhook(secret).sign(id, new Date(1000 * sentAt), body);
  return { 'webhook-id': id, 'webhook-timestamp': String(sentAt), 'webhook-signature': signature };
}
