import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { BatchResults, type BatchSummary } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

interface BatchBody {
  readonly id: string;
  readonly state: string;
  readonly counts: Record<string, number>;
  readonly progress: number;
  readonly links: Record<string, string>;
}

describe('batches over HTTP', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHUNK_ROWS: '100' });
  });
  afterAll(() => api.close());

  const BATCHES = '/enrich/v1/batches';
  const header = 'contributor_first_name,contributor_last_name,contribution_receipt_date,note';
  const csvOf = (rows: number) =>
    [header, ...Array.from({ length: rows }, (_, n) => `Mary,Garcia,2016-10-01,=note ${n}`), ''].join('\n');

  async function submitted(body: unknown, headers: Record<string, string>, query = ''): Promise<BatchBody> {
    const answer = await api.post(BATCHES + query, body, headers);
    const batch = (await answer.json()) as BatchBody;
    expect([answer.status, batch]).toEqual([202, expect.objectContaining({ state: 'accepted' })]);
    expect(answer.headers.get('location')).toBe(`${BATCHES}/${batch.id}`);
    return batch;
  }
  const CSV = { 'content-type': 'text/csv' };

  it('accept a CSV file, return its rows in order with unchanged columns, and can be deleted', async () => {
    const batch = await submitted(csvOf(250), CSV);
    const running = await api.send(batch.links.self);
    expect(await running.json()).toMatchObject({ state: 'accepted', counts: { total: 250, done: 0 }, progress: 0 });
    expect(running.headers.get('retry-after')).toBe('1');
    expect((await api.send(batch.links.results)).status).toBe(409);
    await api.work();
    const done = (await (await api.send(`${batch.links.self}/`)).json()) as BatchBody;
    expect(done).toMatchObject({ state: 'completed', counts: { total: 250, done: 250, ok: 250 }, progress: 1 });
    const results = await api.send(batch.links.results);
    expect(results.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(results.headers.get('content-disposition')).toMatch(/^attachment; filename=enriched-[0-9a-f]{8}\.csv$/);
    const lines = (await results.text()).trimEnd().split('\n');
    expect(lines).toHaveLength(251);
    expect(lines[0]).toBe(
      `${header},AGE,GENDER,ETHNICITY,PCT_WHITE,PCT_BLACK,PCT_API,PCT_AIAN,PCT_2PRACE,PCT_HISPANIC,FIPS,COUNTY,TRACT_CD,BLOCK_CD,HH_INCOME_MEDIAN,ADDRESS_ID,GEOCODE_STATUS`,
    );
    lines
      .slice(1)
      .forEach((line, n) => expect(line).toMatch(new RegExp(`^Mary,Garcia,2016-10-01,'=note ${n},\\d+,f,hispanic,`)));
    expect(await (await api.send(`${batch.links.results}?raw=true`)).text()).toContain(
      '\nMary,Garcia,2016-10-01,=note 0,',
    );
    expect((await api.send(batch.links.self, { method: 'DELETE' })).status).toBe(204);
    expect((await api.send(batch.links.self)).status).toBe(404);
  });

  it('have a summary of their rows when finished, as JSON and CSV', async () => {
    const batch = await submitted(csvOf(250), CSV);
    expect((await api.send(`${batch.links.self}/summary`)).status).toBe(409);
    await api.work();
    const summary = (await (await api.send(`${batch.links.self}/summary`)).json()) as BatchSummary;
    expect(summary).toMatchObject({ rows: 250, first_names_known: 250, surnames_known: 250, counties: [] });
    const { median, median_low: low, median_high: high, distribution } = summary.ages;
    const sum = (all: readonly { people: number }[]) => all.reduce((total, { people }) => total + people, 0);
    expect(sum(distribution)).toBeCloseTo(250, 0);
    expect([sum(summary.sex), summary.sex[0].people > 240]).toEqual([250, true]);
    expect([Number(low) <= Number(median), Number(median) <= Number(high)]).toEqual([true, true]);
    expect(summary.ethnicity.at(-1)?.people).toBeGreaterThan(200);
    expect(sum(summary.ethnicity)).toBeCloseTo(250, 0);
    expect(summary.filled).toContainEqual({ column: 'AGE', rows: 250, fill_rate: 1 });
    expect(await (await api.send(`${batch.links.self}/summary`)).json()).toEqual(summary); // the stored summary
    const csv = await (await api.send(`${batch.links.self}/summary?format=csv`)).text();
    expect(csv).toContain(`SECTION,VALUE,NUMBER\ndata_release,${summary.data_release},\nrows,all,250\n`);
  });

  it('return results and errors as NDJSON and JSON, and gzipped on request', async () => {
    const queries = [
      { date: '2017-07-01', name: 'Mary', id: 'a' },
      { date: '2019-02-30', name: 'Mary', id: 'b' },
    ];
    const batch = await submitted({ type: 'age_gender', queries }, {});
    await api.work();
    const ndjson = await (await api.send(`${batch.links.results}?format=ndjson`)).text();
    expect(
      ndjson
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['a', 'b']);
    const json = await api.send(batch.links.results, {
      headers: { 'x-api-key': api.key, accept: 'application/json', 'accept-encoding': 'gzip' },
    });
    expect([json.headers.get('content-encoding'), json.headers.get('vary')]).toEqual([
      'gzip',
      'Accept, Accept-Encoding',
    ]);
    expect(await json.json()).toMatchObject({
      results: [
        { gender: 'f', id: 'a' },
        { age: null, id: 'b' },
      ],
    });
    const errors = await (await api.send(`${batch.links.errors}?format=ndjson`)).text();
    expect(JSON.parse(errors)).toMatchObject({ row: 2, error: 'bad_date' });
  });

  it('accept NDJSON, gzip and a form with a file', async () => {
    const ndjson = '{"surname":"Garcia","year":2016}\n{"surname":"Smith","year":2004}\n';
    await submitted(ndjson, { 'content-type': 'application/x-ndjson' }, '?type=ethnicity');
    await submitted(gzipSync(csvOf(10)), { 'content-type': 'text/csv', 'content-encoding': 'gzip' });
    await submitted(gzipSync(csvOf(10)), { 'content-type': 'application/gzip' });
    const form = new FormData();
    form.set('type', 'ethnicity');
    form.set('map.surname', 'contributor_last_name');
    form.set('file', new Blob([csvOf(5)]), 'gifts.csv');
    const answer = await api.send(BATCHES, { method: 'POST', body: form });
    expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ type: 'ethnicity' })]);
    await api.work();
  });

  it('are created from the queries of endpoints 1, 3 and contributions on request', async () => {
    for (const [path, query] of [
      ['/enrich/v1/age_gender', { date: '2017-07-01', name: 'Mary' }],
      ['/enrich/v1/ethnicity', { surname: 'Garcia', year: 2016 }],
      ['/enrich/v1/contributions', { name: 'GARCIA, MARY', date: '2016-10-01' }],
    ] as const) {
      const queries = Array.from({ length: 10_050 }, () => query);
      const answer = await api.post(path, { queries }, { prefer: 'respond-async, wait=5' });
      expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
      expect(await answer.json()).toMatchObject({ counts: { total: 10_050 } });
      expect(answer.headers.get('location')).toMatch(/^\/enrich\/v1\/batches\//);
    }
    await api.work();
  });

  it('are not created for a small bulk request if the client prefers to wait', async () => {
    const queries = [{ surname: 'Garcia', year: 2016 }];
    const answer = await api.post('/enrich/v1/ethnicity', { queries }, { prefer: 'respond-async, wait=10' });
    expect(answer.status).toBe(200);
  });

  it('are created once per idempotency key and body; another body gets 422', async () => {
    const headers = { ...CSV, 'idempotency-key': 'once' };
    const first = await submitted(csvOf(3), headers);
    const again = await api.post(BATCHES, csvOf(3), headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(((await again.json()) as BatchBody).id).toBe(first.id);
    const other = await api.post(BATCHES, csvOf(4), headers);
    expect([other.status, await other.json()]).toEqual([
      422,
      expect.objectContaining({ code: 'idempotency-mismatch' }),
    ]);
  });

  it('are listed page by page, without those of other keys', async () => {
    const stranger = await api.issue();
    const mine = await submitted(csvOf(1), CSV);
    const page = (await (await api.send(`${BATCHES}?limit=1`)).json()) as { results: BatchBody[]; next: string };
    expect(page.results.map(({ id }) => id)).toEqual([mine.id]);
    const next = (await (await api.send(`${BATCHES}?limit=1&after=${page.next}`)).json()) as { results: BatchBody[] };
    expect(next.results[0].id).not.toBe(mine.id);
    const asUnprivilegedUser = { 'x-api-key': stranger };
    expect(await (await api.send(BATCHES, { headers: asUnprivilegedUser })).json()).toEqual({
      results: [],
      next: null,
    });
    for (const [path, method] of [
      [mine.links.self, 'GET'],
      [mine.links.results, 'GET'],
      [mine.links.errors, 'GET'],
      [mine.links.cancel, 'POST'],
      [mine.links.self, 'DELETE'],
      [`${BATCHES}/00000000-0000-0000-0000-000000000000`, 'GET'],
      [`${BATCHES}/not-an-id`, 'GET'],
    ])
      expect((await api.send(path, { method, headers: asUnprivilegedUser })).status).toBe(404);
    expect((await api.send(mine.links.self)).status).toBe(200);
  });

  it('can be cancelled, and finished rows can be read', async () => {
    const batch = await submitted(csvOf(500), CSV);
    const answer = await api.send(batch.links.cancel, { method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ state: 'cancelled' })]);
    expect((await api.send(batch.links.results)).status).toBe(200);
  });

  it('show progress as a page for browsers and as events until the end', async () => {
    const batch = await submitted(csvOf(20), CSV);
    const page = await api.send(batch.links.self, {
      headers: { 'x-api-key': api.key, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/0 of 20 rows, queued<[\s\S]*<progress/);
    const events = await api.send(batch.links.self, { headers: { 'x-api-key': api.key, accept: 'text/event-stream' } });
    expect(events.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await api.work();
    const text = await events.text();
    expect(text).toMatch(/^event: progress\ndata: \{/);
    expect(text).toMatch(/event: end\ndata: \{.*"state":"completed".*\}\n\n$/);
  });

  it('report both stages: results are available before geocoding, and addresses are added later', async () => {
    const streets = ['1 Stage St', '2 Stage St', 'PO Box 3', '4 Stage St'];
    const place = { city: 'Samplebury', state: 'CT', zip: '06100' };
    const csv = [
      'name,date,street,city,state,zip',
      ...streets.map((one) => `"GARCIA, MARY",2016-10-01,${one},Samplebury,CT,06100`),
      '',
    ];
    const batch = await submitted(csv.join('\n'), CSV);
    expect(batch).toMatchObject({
      stages: { enriched: { done: 0, total: 4 }, geocoded: { done: 0, total: 4 } },
      addresses: { match: 0, no_match: 0, tie: 0, skipped: 0, pending: 0 },
      waits_for: null,
    });
    await api.work();
    expect(await (await api.send(batch.links.self)).json()).toMatchObject({
      state: 'running',
      stages: { enriched: { done: 4, total: 4 }, geocoded: { done: 1, total: 4 } },
      addresses: { match: 0, no_match: 0, tie: 0, skipped: 1, pending: 3 },
      progress: 0.625,
    });
    expect((await api.send(batch.links.results)).status).toBe(409);
    const statuses = async (query: string): Promise<(string | undefined)[]> =>
      (await (await api.send(`${batch.links.results}${query}`)).text())
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => /[A-Z_]+$/.exec(line)?.[0]);
    const soFar = (await (await api.send(`${batch.links.results}?partial=true&format=json`)).json()) as {
      results: { geocode_status: string }[];
    };
    expect(soFar.results.map((result) => result.geocode_status)).toEqual(['PENDING', 'PENDING', 'SKIPPED', 'PENDING']);
    await api.locate([
      { address: { street: '1 Stage St', ...place }, outcome: 'MATCH', fips: '09001', matchedAddress: '1 STAGE ST' },
      { address: { street: '2 Stage St', ...place }, outcome: 'NO_MATCH' },
    ]);
    const events = api.send(batch.links.self, { headers: { 'x-api-key': api.key, accept: 'text/event-stream' } });
    const reader = (await events).text();
    await api.locate([{ address: { street: '4 Stage St', ...place }, outcome: 'TIE', fips: '09001' }]);
    expect(await reader).toMatch(
      /event: end\ndata: \{.*"addresses":\{"match":1,"no_match":1,"tie":1,"skipped":1,"pending":0\}/,
    );
    expect(await (await api.send(batch.links.self)).json()).toMatchObject({
      state: 'completed',
      counts: { ok: 2, partial: 2 },
      stages: { geocoded: { done: 4, total: 4 } },
      progress: 1,
      eta_seconds: 0,
    });
    expect(await statuses('')).toEqual(['MATCH', 'NO_MATCH', 'SKIPPED', 'TIE']);
    const json = (await (await api.send(`${batch.links.results}?format=json`)).json()) as { results: object[] };
    expect(json.results[0]).toMatchObject({ county: 'Fairfield County', hh_income_median: 66_600 });
    expect(json.results[3]).toMatchObject({ county: 'Fairfield County', address_id: null });
    const summary = async () => (await (await api.send(`${batch.links.self}/summary`)).json()) as BatchSummary;
    const first = await summary();
    await api.app.get<Pool>(PG_POOL).query(`update batch_summary set summary = summary #- '{counties,0,state}'`); // 1.0.0
    expect([first.counties[0].state, await summary()]).toEqual(['CT', first]);
  });

  it('report why addresses are pending', async () => {
    const pool = api.app.get<Pool>(PG_POOL);
    await pool.query(`update geocoder set refused_reason = 'the benchmark Nosuch is not among those of the geocoder'`);
    const batch = await submitted('name,date,street,zip\n"GARCIA, MARY",2016-10-01,1 Reason St,06100\n', CSV);
    await api.work();
    const why = async () =>
      ((await (await api.send(batch.links.self)).json()) as { waits_for: string | null }).waits_for;
    await until('the reason is known', async () => (await why())?.includes('Nosuch'));
    await pool.query('update geocoder set refused_reason = null');
    await until('the reason is gone', async () => !(await why())?.includes('Nosuch'));
  });

  it('have a preview of how a file is read, which stores nothing', async () => {
    const before = await (await api.send(BATCHES)).text();
    const answer = await api.post(`${BATCHES}/preview`, csvOf(1000), CSV);
    expect(answer.status).toBe(200);
    const preview = (await answer.json()) as { rows: unknown[] };
    expect(preview).toMatchObject({
      delimiter: ',',
      columns: header.split(','),
      mapping: { first_name: 'contributor_first_name', surname: 'contributor_last_name' },
    });
    expect(preview.rows).toHaveLength(5);
    expect(preview.rows[0]).toMatchObject({ row: 1, outcome: 'ok', result: { gender: 'f', ethnicity: 'hispanic' } });
    expect(await (await api.send(BATCHES)).text()).toBe(before);
  });

  it.each<[string, string | Buffer, Record<string, string>, number]>([
    ['an empty file', '', CSV, 400],
    ['a header alone', `${header}\n`, CSV, 400],
    ['a quote that never closes', `${header}\n"Mary,Garcia,2016-10-01,x\n${'a,b,c,d\n'.repeat(50)}`, CSV, 400],
    ['columns with unknown names', 'a,b\n1,2\n', CSV, 400],
    ['truncated gzip', gzipSync(csvOf(5000)).subarray(0, 2000), CSV, 400],
    ['a gzip bomb', gzipSync(`${header}\n${'Mary,Garcia,2016-10-01,x\n'.repeat(1_700_000)}`), CSV, 413],
    ['no type', '{"queries":[{}]}', {}, 400],
    ['an unknown type', '{"type":"x","queries":[{}]}', {}, 400],
    ['no queries', '{"type":"ethnicity"}', {}, 400],
    ['JSON that breaks off', '{"type":"ethnicity","queries":[', {}, 400],
    ['a form without a boundary', 'x', { 'content-type': 'multipart/form-data' }, 400],
    ['a form without a file', '--b\r\n\r\n--b--\r\n', { 'content-type': 'multipart/form-data; boundary=b' }, 400],
    ['another content type', csvOf(1), { 'content-type': 'application/pdf' }, 415],
    ['brotli', csvOf(1), { ...CSV, 'content-encoding': 'br' }, 415],
    ['deflate', csvOf(1), { ...CSV, 'content-encoding': 'deflate' }, 415],
    ['zstd around JSON', '{"type":"ethnicity","queries":[{}]}', { 'content-encoding': 'zstd' }, 415],
  ])('are not created from %s', async (_what, body, headers, status) => {
    const before = await (await api.send(BATCHES)).text();
    const answer = await api.post(BATCHES, body, headers);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ status })]);
    expect(await (await api.send(BATCHES)).text()).toBe(before);
  });

  it('let a client finish sending a large file that is rejected early', async () => {
    const large = Buffer.concat([Buffer.from('a,b\n1,2\n'), Buffer.alloc(20 * 1024 * 1024, 'x,y\n')]);
    const answer = await api.post(BATCHES, large, CSV);
    expect(answer.status).toBe(400);
    expect((await api.send('/health/live')).status).toBe(200);
  });

  it('reject a body with a too large Content-Length before it is sent', async () => {
    const refused = async (path: string, type: string): Promise<[number | undefined, string]> => {
      const headers = { 'x-api-key': api.key, 'content-type': type, 'content-length': String(3 * 1024 ** 3) };
      const sending = request(api.url + path, { method: 'POST', headers });
      sending.on('error', () => undefined).flushHeaders();
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      const { code } = (await json(answer)) as { code: string };
      sending.destroy();
      return [answer.statusCode, code];
    };
    const form = 'multipart/form-data; boundary=x';
    for (const [path, type] of [
      ['/enrich/v1/batches', 'text/csv'],
      ['/enrich/v1/batches', form],
      ['/enrich/v1/batches/preview', 'application/x-ndjson'],
      ['/upload/preview', form],
    ])
      expect([path, ...(await refused(path, type))]).toEqual([path, 413, 'body-too-large']);
  });

  it('complete even if every row is invalid', async () => {
    const bad = `${header}\n${'Mary,Garcia,2016-99-99,x\n'.repeat(30)}`;
    const batch = await submitted(bad, CSV);
    await api.work();
    expect(await (await api.send(batch.links.self)).json()).toMatchObject({
      state: 'completed',
      counts: { invalid: 30 },
    });
    const errors = (await (await api.send(batch.links.errors)).text()).trimEnd().split('\n');
    expect(errors).toHaveLength(31);
  });

  it('are limited to the daily row quota of a key', async () => {
    const key = await api.issue({ batchRowsPerDay: 5 });
    const headers = { ...CSV, 'x-api-key': key };
    expect((await api.post(BATCHES, csvOf(5), headers)).status).toBe(202);
    const answer = await api.post(BATCHES, csvOf(1), headers);
    expect([answer.status, await answer.json()]).toEqual([429, expect.objectContaining({ code: 'quota-exceeded' })]);
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds > 0 && seconds <= 86_400).toBe(true);
    const large = await api.post(BATCHES, csvOf(6), headers);
    expect([large.status, await large.json()]).toEqual([429, expect.objectContaining({ limit: 5, alone: true })]);
  });

  it.each(['gzip', 'identity'])('abort a download if reading the results fails halfway (%s)', async (coding) => {
    const batch = await submitted(csvOf(1), CSV);
    await api.work();
    const rows = async function* (): AsyncGenerator<Buffer> {
      for (let n = 0; n < 5; n++) yield randomBytes(100_000);
      await Promise.reject(new Error('the database is gone'));
    };
    const broken = jest.spyOn(api.app.get(BatchResults), 'stream').mockResolvedValue(Readable.from(rows()));
    const answer = await api.send(batch.links.results, {
      headers: { 'x-api-key': api.key, 'accept-encoding': coding },
    });
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    broken.mockRestore();
  });

  it('end their event streams when the process shuts down', async () => {
    const other = await runningApi();
    const batch = (await (await other.post(BATCHES, csvOf(1), CSV)).json()) as BatchBody;
    const events = await other.send(`${batch.links.self}?format=sse`);
    const text = events.text();
    await other.close();
    expect(await text).toMatch(/^event: progress/);
  });
});
