import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type Pool } from 'pg';
import { BatchRepository } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describe('results that are deleted while they are read', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHUNK_ROWS: '1000' });
  });
  afterAll(() => api.close());

  it('are aborted, so that the client detects the incomplete download', async () => {
    const csv = `first_name,date,note\n${`Mary,2016-10-01,${'x'.repeat(3000)}\n`.repeat(10_000)}`; // more than sockets hold
    const sent = await api.post('/enrich/v1/batches?type=age_gender', csv, { 'content-type': 'text/csv' });
    const { links } = (await sent.json()) as { links: { self: string; results: string } };
    await api.work();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(api.url + links.results, { headers: { 'x-api-key': api.key } })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });
    expect(answer.statusCode).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 200)); // the rest is still in the database
    expect((await api.send(links.self, { method: 'DELETE' })).status).toBe(204);
    const end = await new Promise<string>((resolve) => {
      answer.on('end', () => resolve('ended')).on('error', () => resolve('broken off'));
      answer.resume();
    });
    expect([end, answer.complete]).toEqual(['broken off', false]);
  });

  it('get 410 after the expiry of their batch, and 200 again if the expiry moves to the future', async () => {
    const csv = 'first_name,date\nMary,2016-10-01\n';
    const sent = await api.post('/enrich/v1/batches?type=age_gender', csv, { 'content-type': 'text/csv' });
    const { id, links } = (await sent.json()) as { id: string; links: { self: string } };
    await api.work();
    const step = (days: number) =>
      api.app
        .get<Pool>(PG_POOL)
        .query(`update batch set expires_at = expires_at + make_interval(days => $2) where id = $1`, [id, -days]);
    const seen = async (): Promise<unknown[]> => {
      const answers = await Promise.all(['/results', '/errors'].map((what) => api.send(links.self + what)));
      const { state } = (await (await api.send(links.self)).json()) as { state: string };
      return [...answers.map(({ status }) => status), state];
    };
    expect(await seen()).toEqual([200, 200, 'completed']);
    await step(8);
    expect(await seen()).toEqual([410, 410, 'expired']);
    for (const file of ['results?format=json', 'errors?format=csv', 'summary?format=csv']) {
      const headers = { 'x-api-key': api.key, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const page = await api.send(`${links.self}/${file}`, { headers });
      expect([page.status, await page.text()]).toEqual([410, expect.stringContaining('Upload the file again</a>')]);
    }
    await step(-8);
    expect(await seen()).toEqual([200, 200, 'completed']);
  });

  it.each([
    ['summary', 200], // the summary was read before the deletion took effect
    ['results', 404],
  ])('never fail during a deletion: %s', async (what, status) => {
    const csv = 'first_name,date\nMary,2016-10-01\n';
    const path = '/enrich/v1/batches?type=age_gender&age_basis=group';
    const sent = await api.post(path, csv, { 'content-type': 'text/csv' });
    const { id, links } = (await sent.json()) as { id: string; links: { self: string } };
    await api.work();
    const pool = api.app.get<Pool>(PG_POOL);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('delete from batch where id = $1', [id]);
    const answer = api.send(`${links.self}/${what}`);
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into batch_%'`;
    await until('it waits for the deletion', async () => (await pool.query(waits)).rowCount === 1);
    await client.query('commit');
    client.release();
    expect((await answer).status).toBe(status);
  });

  it.each(
    ['results', 'errors'].flatMap((what) =>
      ['csv', 'json', 'ndjson'].flatMap((format) => ['gzip', 'identity'].map((coding) => [what, format, coding])),
    ),
  )('get 404 if they are deleted before the first row is sent: %s as %s, %s', async (what, format, coding) => {
    const csv = 'first_name,date\nMary,2016-10-01\nMary,never\n';
    const sent = await api.post('/enrich/v1/batches?type=age_gender', csv, { 'content-type': 'text/csv' });
    const { id, links } = (await sent.json()) as { id: string; links: { self: string } };
    await api.work();
    const batches = api.app.get(BatchRepository);
    const get = batches.get.bind(batches);
    const erasing = jest.spyOn(batches, 'get').mockImplementationOnce(async (owner, asked) => {
      const found = await get(owner, asked);
      await batches.delete(owner, asked);
      return found;
    });
    const answer = await api.send(`${links.self}/${what}?format=${format}`, {
      headers: { 'x-api-key': api.key, 'accept-encoding': coding },
    });
    expect(erasing).toHaveBeenCalledWith(expect.any(String), id);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'not-found' })]);
    expect(answer.headers.get('content-encoding')).toBeNull();
    erasing.mockRestore();
  });
});
