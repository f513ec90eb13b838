import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { BODY_BUDGET, bodyBytesHeld } from './request-body';

describe('the memory limit of request bodies over HTTP', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  afterAll(() => api.close());
  afterEach(() => expect(bodyBytesHeld()).toBe(0));

  const AGE = '/enrich/v1/age_gender';
  const BATCHES = '/enrich/v1/batches';
  const objects = (count: number): string => `{"type":"age_gender","queries":[${'{},'.repeat(count)}{}]}`;
  const GZIP = { 'content-encoding': 'gzip' };

  it.each([
    ['a synchronous body of 1.6 million empty objects', AGE, objects(1_600_000), {}],
    ['a synchronous body of 200,000 empty objects', '/enrich/v1/ethnicity', objects(200_000), {}],
    ['a batch of 8 million empty objects', BATCHES, objects(8_000_000), {}],
    ['the same to preview', `${BATCHES}/preview`, objects(8_000_000), {}],
    ['a batch of 8 million empty objects in 25 kB of gzip', BATCHES, gzipSync(objects(8_000_000)), GZIP],
    ['a batch of 12 million numbers', BATCHES, `{"queries":[${'1,'.repeat(12_000_000)}1]}`, {}],
  ])('rejects %s before parsing it', async (_what, path, body, headers) => {
    const parse = jest.spyOn(JSON, 'parse');
    const answer = await api.post(path, body, headers);
    expect(parse.mock.calls.every(([text]) => text.length < 10_000)).toBe(true);
    parse.mockRestore();
    expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ code: 'body-too-large' })]);
  });

  it('names an alternative for larger requests', async () => {
    const detailOf = async (path: string): Promise<string> =>
      ((await (await api.post(path, objects(400_000))).json()) as { detail: string }).detail;
    expect(await detailOf(AGE)).toContain('/enrich/v1/batches');
    expect(await detailOf(BATCHES)).toContain('application/x-ndjson');
  });

  it('allows 5 MB of the shortest queries as a batch', async () => {
    const queries = Array.from({ length: 130_000 }, () => ({ date: '2017-07-01', name: 'Al' }));
    const answer = await api.post(AGE, { queries }, { prefer: 'respond-async' });
    expect(answer.status).toBe(202);
  });

  /** Sends part of a body and waits until the api holds it in memory. */
  async function unfinished(bytes: number): Promise<() => void> {
    const request = httpRequest(api.url + BATCHES, {
      method: 'POST',
      headers: { 'x-api-key': api.key, 'content-type': 'application/json' },
    }).on('error', () => undefined);
    const before = bodyBytesHeld();
    request.write(Buffer.alloc(bytes, ' '));
    while (bodyBytesHeld() < before + bytes) await new Promise((resolve) => setTimeout(resolve, 5));
    return () => request.destroy();
  }

  it('rejects a body while the budget is used up, and accepts it afterwards', async () => {
    const budget = jest.replaceProperty(BODY_BUDGET, 'bytes', 2_000_000);
    const query = { date: '2017-07-01', name: 'Mary' };
    const body = { queries: [query], more: 'x'.repeat(500_000) };
    const leave = await unfinished(1_600_000);
    for (const send of [() => api.post(AGE, body), () => api.post(AGE, gzipSync(JSON.stringify(body)), GZIP)]) {
      const answer = await send();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      await answer.text();
    }
    expect((await api.post(AGE, { queries: [query] })).status).toBe(200);
    leave();
    while (bodyBytesHeld() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await api.post(AGE, body)).status).toBe(200);
    budget.restore();
  });
});
