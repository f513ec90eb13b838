import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signedHeaders, webhookSecret } from './webhook-secret';

const SECRET = webhookSecret('a secret of the tests', 'key-1');
const BODY = '{"type":"batch.completed"}';

describe('the signature of a message', () => {
  it('is taken by the library of the standard, which reads the secret as it is shown', () => {
    const headers = signedHeaders(SECRET, 'message-1', Math.floor(Date.now() / 1000), BODY);
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual({ type: 'batch.completed' });
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
