import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Batch, BatchAddresses, BatchRepository } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { type PostalAddress } from '@donorlens/locations';
import { type FastifyReply } from 'fastify';
import { type Pool } from 'pg';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { BatchWait } from '../batches/batch-wait';

const PATH = '/enrich/v1/contributions';
const BATCH = /^\/enrich\/v1\/batches\/[0-9a-f-]{36}$/;

const address = (street: string): PostalAddress => ({ street, city: 'Samplebury', state: 'CT', zip: '06100' });
const query = (place: object) => ({ first_name: 'Mary', last_name: 'Garcia', date: '2016-10-01', ...place });

describe('Prefer: wait=N on contributions', () => {
  let api: RunningApi;
  let pool: Pool;
  beforeAll(async () => {
    api = await runningApi();
    pool = api.app.get<Pool>(PG_POOL);
  });
  afterAll(() => api.close());

  const waiting = (queries: readonly object[], prefer: string, headers: Record<string, string> = {}) =>
    api.post(PATH, { queries }, { prefer, ...headers });
  const batches = async (): Promise<{ id: string; state: string }[]> =>
    (await pool.query<{ id: string; state: string }>('select id, state from batch order by created_at')).rows;
  /** Waits until a request has created another batch, and returns its id. */
  const newBatch = async (before: number): Promise<string> =>
    (await until('a batch', async () => (await batches())[before])).id;

  it.each(['wait=20', 'respond-async, wait=20'])(
    'waits for the addresses and returns the results of a batch: %s',
    async (prefer) => {
      const before = (await batches()).length;
      const places = [1, 2].map((n) => address(`${n} Quick St ${prefer.length}`));
      const queries = [query({ ...places[0], id: 'a' }), query(places[1]), query({ id: 'c' })];
      const request = waiting(queries, prefer);
      const id = await newBatch(before);
      await api.work();
      await api.locate([
        { address: places[0], outcome: 'MATCH', fips: '09001', tract: '010100', block: '1000', matchedAddress: prefer },
        { address: places[1], outcome: 'NO_MATCH' },
      ]);
      const answer = await request;
      expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'wait=20']);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      const results = `/enrich/v1/batches/${id}/results?format=json`;
      expect([answer.headers.get('content-location'), answer.headers.get('location')]).toEqual([results, null]);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({
        results: [
          { id: 'a', county: 'Fairfield County', tract_cd: '010100', geocode_status: 'MATCH' },
          { county: null, geocode_status: 'NO_MATCH' },
          { id: 'c', geocode_status: 'SKIPPED' },
        ],
      });
      expect(await (await api.send(results)).text()).toBe(text);
      // The addresses are known now, so the same results are returned without a batch.
      const again = await waiting(queries, prefer);
      expect([again.status, again.headers.get('preference-applied')]).toEqual([200, 'wait=20']);
      expect(again.headers.get('content-location')).toBeNull();
      expect(await again.json()).toEqual(JSON.parse(text));
      expect(await batches()).toHaveLength(before + 1);
    },
  );

  it('answers 202 with the batch if geocoding takes longer, and the batch continues', async () => {
    const place = address('1 Slow St');
    const answer = await waiting([query(place)], 'wait=1');
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'respond-async, wait=1']);
    expect(answer.headers.get('retry-after')).toBe('1');
    const self = answer.headers.get('location') ?? '';
    expect(self).toMatch(BATCH);
    expect(await answer.json()).toMatchObject({ state: 'accepted', links: { self } });
    await api.work();
    await api.locate([{ address: place, outcome: 'MATCH', fips: '09001' }]);
    expect(await (await api.send(self)).json()).toMatchObject({ state: 'completed', addresses: { match: 1 } });
  });

  it('answers 202 immediately if the geocoder will not be called before the timeout', async () => {
    const wait = jest.spyOn(api.app.get(BatchWait), 'waitUntilEnded');
    const waited = async (): Promise<number> => {
      const answer = await waiting([query(address('1 Closed St'))], 'wait=1');
      expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'respond-async, wait=1']);
      expect(((await answer.json()) as { links: object }).links).toMatchObject({
        partial: expect.stringMatching(/\/results\?partial=true$/) as string,
      });
      return wait.mock.calls.at(-1)![1];
    };
    await pool.query(`update geocoder set refused_reason = 'no such benchmark'`);
    await until('no request waits', async () => (await waited()) === 0);
    await pool.query('update geocoder set refused_reason = null');
    await until('they wait again', async () => (await waited()) === 1);
    wait.mockRestore();
  });

  it('waits for pending addresses of a batch that has completed without them', async () => {
    const place = address('1 Timeout St');
    const once = { 'idempotency-key': 'timed-out' };
    await waiting([query(place)], 'respond-async', once);
    await api.work();
    await new BatchAddresses(pool).completeTimedOut(0);
    const early = await waiting([query(place)], 'wait=1', once);
    expect([early.status, early.headers.get('preference-applied')]).toEqual([202, 'respond-async, wait=1']);
    expect(await early.json()).toMatchObject({ state: 'completed', addresses: { pending: 1 } });
    const looks = jest.spyOn(api.app.get(BatchRepository), 'get');
    const request = waiting([query(place)], 'wait=60', once);
    await until('the request looks again', () => looks.mock.calls.length > 1);
    looks.mockRestore();
    await api.locate([{ address: place, outcome: 'MATCH', fips: '09001' }]);
    const answer = await request;
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { results: [expect.objectContaining({ geocode_status: 'MATCH', county: 'Fairfield County' })] },
    ]);
  });

  it('requires the scope of batches, even if no address is pending', async () => {
    const key = await api.issue({ scopes: ['enrich:read'] });
    const before = await batches();
    for (const place of [address('1 Scope St'), {}]) {
      const answer = await waiting([query(place)], 'wait=5', { 'x-api-key': key });
      expect([answer.status, await answer.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'missing-scope', scope: 'enrich:batch' }),
      ]);
    }
    expect((await waiting([query(address('1 Scope St'))], 'wait=0', { 'x-api-key': key })).status).toBe(200);
    expect(await batches()).toEqual(before);
  });

  it('creates one batch per idempotency key, with or without waiting, and rejects another body', async () => {
    const place = address('1 Idempotent St');
    const once = { 'idempotency-key': 'waited for' };
    const first = await waiting([query(place)], 'wait=1', once);
    const before = await batches();
    const second = await waiting([query(place)], 'respond-async', once);
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([202, 202, 'true']);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect((await waiting([query(address('2 Idempotent St'))], 'wait=1', once)).status).toBe(422);
    const third = waiting([query(place)], 'wait=30', once);
    await api.work();
    await api.locate([{ address: place, outcome: 'NO_MATCH' }]);
    const answer = await third;
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { results: [expect.objectContaining({ geocode_status: 'NO_MATCH' })] },
    ]);
    expect((await batches()).length).toBe(before.length);
  });

  it('rejects an invalid query before it creates a batch', async () => {
    const before = await batches();
    const answer = await waiting([query(address('1 Bad St')), query({ date: '2019-02-30' })], 'wait=5');
    expect([answer.status, await batches()]).toEqual([400, before]);
  });

  it('ends with 202 if the batch is cancelled, and with 404 if it is deleted', async () => {
    for (const [method, suffix, status] of [
      ['POST', '/cancel', 202],
      ['DELETE', '', 404],
    ] as const) {
      const before = (await batches()).length;
      const request = waiting([query(address(`1 Ended St ${method}`))], 'wait=60');
      const id = await newBatch(before);
      await api.send(`/enrich/v1/batches/${id}${suffix}`, { method });
      expect((await request).status).toBe(status);
    }
  });

  it('stops polling if the client disconnects, and the batch continues', async () => {
    const before = (await batches()).length;
    const gone = new AbortController();
    const place = address('1 Gone St');
    const request = fetch(api.url + PATH, {
      method: 'POST',
      headers: { 'x-api-key': api.key, 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({ queries: [query(place)] }),
      signal: gone.signal,
    });
    const id = await newBatch(before);
    gone.abort();
    await expect(request).rejects.toThrow();
    await api.work();
    await api.locate([{ address: place, outcome: 'NO_MATCH' }]);
    const stored = (await batches()).find((one) => one.id === id);
    expect(stored?.state).toBe('completed');
  });

  it('removes its listener after the client has disconnected', async () => {
    const batch = { id: randomUUID(), apiKeyId: 'unknown', state: 'accepted' } as Batch;
    const raw = Object.assign(new EventEmitter(), { destroyed: false });
    const ended = api.app.get(BatchWait).waitUntilEnded(batch, 60, { raw } as unknown as FastifyReply);
    raw.emit('close');
    expect(await ended).toBe(batch);
    expect(raw.listenerCount('close')).toBe(0);
  });

  it('continues to poll while the database is unavailable', async () => {
    const batch = { id: randomUUID(), apiKeyId: 'unknown', state: 'accepted' } as Batch;
    const reads = jest
      .spyOn(api.app.get(BatchRepository), 'get')
      .mockRejectedValueOnce(new Error('away'))
      .mockResolvedValueOnce({ ...batch, state: 'completed', addresses: { pending: 0 } } as Batch);
    const raw = Object.assign(new EventEmitter(), { destroyed: false });
    const ended = await api.app.get(BatchWait).waitUntilEnded(batch, 60, { raw } as unknown as FastifyReply);
    expect(ended?.state).toBe('completed');
    reads.mockRestore();
  });

  it('answers waiting requests with 202 when the process shuts down', async () => {
    const other = await runningApi();
    const otherPool = other.app.get<Pool>(PG_POOL);
    const request = other.post(PATH, { queries: [query(address('1 Closing St'))] }, { prefer: 'wait=60' });
    await until('a batch', async () => (await otherPool.query('select 1 from batch')).rowCount === 1);
    await other.close();
    expect((await request).status).toBe(202);
  });
});
