import { createHmac } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signedHeaders, webhookSecret } from './message';

const SECRET = webhookSecret('a secret of the tests', 'key-1');
const BODY = '{"type":"batch.completed"}';

describe('the signature of a webhook', () => {
  it('is accepted by the library of Standard Webhooks, with the secret as shown to the client', () => {
    const headers = signedHeaders(SECRET, 'message-1', Math.floor(Date.now() / 1000), BODY);
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual({ type: 'batch.completed' });
  });

  it('is the HMAC-SHA256 of id, time and body under the decoded secret, in base64', () => {
    const key = Buffer.from(SECRET.replace(/^whsec_/, ''), 'base64');
    const body = '{"city":"Zürich"}';
    expect(signedHeaders(SECRET, 'message-1', 1_700_000_000, body)).toEqual({
      'webhook-id': 'message-1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${createHmac('sha256', key).update(`message-1.1700000000.${body}`).digest('base64')}`,
    });
  });

  it('does not fit another body, id, time or secret', () => {
    const now = Math.floor(Date.now() / 1000);
    const headers = signedHeaders(SECRET, 'message-1', now, BODY);
    const verify = (secret: string, body: string, changed: object) => () =>
      new Webhook(secret).verify(body, { ...headers, ...changed });
    expect(verify(SECRET, `${BODY} `, {})).toThrow(WebhookVerificationError);
    expect(verify(SECRET, BODY, { 'webhook-id': 'message-2' })).toThrow(WebhookVerificationError);
    expect(verify(SECRET, BODY, { 'webhook-timestamp': String(now + 1) })).toThrow(WebhookVerificationError);
    expect(verify(webhookSecret('a secret of the tests', 'key-2'), BODY, {})).toThrow(WebhookVerificationError);
  });

  it('has a secret of 32 bytes that is the same each time, for one installation and one key', () => {
    expect(Buffer.from(SECRET.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(webhookSecret('a secret of the tests', 'key-1')).toBe(SECRET);
    expect(webhookSecret('another installation', 'key-1')).not.toBe(SECRET);
  });
});
