import { createHmac, hkdfSync } from 'node:crypto';
import { type Config, ConfigError } from '@donorlens/config';

const PREFIX = 'whsec_';
const BYTES = 32;
const NO_SALT = '';

/** What every secret is derived from. @throws ConfigError where ADDRESS_SECRET is not set */
export function addressSecretOf({ addressSecret }: Pick<Config, 'addressSecret'>): string {
  if (addressSecret !== undefined) return addressSecret;
  throw new ConfigError(['ADDRESS_SECRET is needed to sign messages: the same text for every process']);
}

/**
 * What messages to the holder of a key are signed with. Derived (RFC 5869), so that nothing has to be kept: the same for
 * as long as the installation's secret and the key's id are, and so also after the key was given a new secret.
 */
export function webhookSecret(addressSecret: string, apiKeyId: string): string {
  const bytes = hkdfSync('sha256', addressSecret, NO_SALT, `donorlens webhook\0${apiKeyId}`, BYTES);
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/** Headers of a message by Standard Webhooks, version 1. `sentAt` is in seconds since 1970. */
export function signedHeaders(secret: string, id: string, sentAt: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${sentAt}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(sentAt), 'webhook-signature': `v1,${signature}` };
}
