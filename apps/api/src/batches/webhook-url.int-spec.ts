import { webhookSecret } from '@donorlens/webhooks';
import { KeyRing } from '@donorlens/access-keys';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

const ROWS = 'first_name,date\nMary,2016-01-01\n';
const URL = 'https://hooks.example.org/a%20b';

describe('the webhook of a batch', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await runningApi({ WEBHOOK_ALLOWED_HOSTS: 'hooks:8080' })));
  afterAll(() => api.close());

  const csv = (url: string) =>
    api.send('/enrich/v1/batches?type=age_gender', {
      method: 'POST',
      body: ROWS,
      headers: { 'content-type': 'text/csv', 'webhook-url': url },
    });

  async function storedUrl(response: Response): Promise<string | null> {
    const { id } = (await response.json()) as { id: string };
    const { rows } = await api.app
      .get<Pool>(PG_POOL)
      .query<{ webhook_url: string | null }>('select webhook_url from batch where id = $1', [id]);
    return rows[0].webhook_url;
  }

  it('is accepted in a header, in a form and in a JSON body, and is optional', async () => {
    const form = new FormData();
    form.set('type', 'age_gender');
    form.set('webhook_url', 'https://hooks.example.org/a b');
    form.set('file', new Blob([ROWS], { type: 'text/csv' }), 'people.csv');
    const queries = [{ name: 'Mary', date: '2016-01-01' }];
    expect(await storedUrl(await csv('https://hooks.example.org/a b#top'))).toBe(URL);
    expect(await storedUrl(await api.send('/enrich/v1/batches', { method: 'POST', body: form }))).toBe(URL);
    const body = { type: 'age_gender', queries, webhook_url: URL };
    expect(await storedUrl(await api.post('/enrich/v1/batches', body))).toBe(URL);
    expect(await storedUrl(await api.post('/enrich/v1/batches', { type: 'age_gender', queries }))).toBeNull();
    expect(await storedUrl(await csv('http://hooks:8080/x'))).toBe('http://hooks:8080/x');
  });

  it.each(['http://hooks.example.org/', 'https://10.0.0.7/', 'https://user:word@hooks.example.org/', 'hooks'])(
    'is rejected immediately if webhooks may not be sent there: %s',
    async (url) => {
      const response = await csv(url);
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { pointer: string; detail: string }[] };
      expect(errors).toEqual([{ pointer: '/header/Webhook-Url', detail: expect.stringMatching(/^must /) }]);
      expect(JSON.stringify(errors)).not.toContain('word@');
    },
  );

  it('is rejected in the URL of the request, because URLs are logged', async () => {
    const path = `/enrich/v1/batches?type=age_gender&webhook_url=${encodeURIComponent(URL)}`;
    const response = await api.send(path, { method: 'POST', body: ROWS, headers: { 'content-type': 'text/csv' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/query/webhook_url', detail: 'must be sent as the header Webhook-Url' }],
    });
  });

  it('is named on the page of the batch by its host only', async () => {
    const { id } = (await (await csv('https://hooks.example.org/secret-path')).json()) as { id: string };
    const page = await (await api.send(`/enrich/v1/batches/${id}?format=html`)).text();
    expect(page).toContain('Webhook to <code>hooks.example.org</code>: sent when the batch ends.');
    expect(page).not.toContain('secret-path');
  });

  it('is part of the request that an idempotency key identifies', async () => {
    const send = (url: string) =>
      api.send('/enrich/v1/batches?type=age_gender', {
        method: 'POST',
        body: ROWS,
        headers: { 'content-type': 'text/csv', 'webhook-url': url, 'idempotency-key': 'the same' },
      });
    expect((await send(URL)).status).toBe(202);
    expect((await send(URL)).status).toBe(202);
    expect((await send('https://other.example.org/')).status).toBe(422);
  });

  it('gets messages that are signed with a secret, which the key can read', async () => {
    const identity = await api.app.get(KeyRing).authenticate(api.key);
    const answer = await api.send('/enrich/v1/webhook-secret');
    expect(await answer.json()).toEqual({ secret: webhookSecret('a secret of the tests', identity?.id ?? '') });
    const reader = await api.issue({ scopes: ['enrich:read'] });
    expect((await api.send('/enrich/v1/webhook-secret', { headers: { 'x-api-key': reader } })).status).toBe(403);
  });
});
