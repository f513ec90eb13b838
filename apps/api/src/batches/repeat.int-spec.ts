import { BatchResults } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

const BATCHES = '/enrich/v1/batches';

/** Rows with fields that CSV or COPY text could change. */
const ROWS = [
  'Mary,Garcia,2016-10-01,Ann,plain',
  'Mary,Smith,2016-10-02,Ann,"a, ""b"" \\ c; d"',
  'Zzqx,Lee,2016-10-03,Ann,"two\nlines\\n\t|"',
  'Mary,Garcia,no date,Ann,é',
  'ragged',
  ',,,,',
];
const CSV = `first_name,last_name,date,OTHER NAME,note\n${ROWS.join('\n')}\n`;

interface Seen {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}

describe('a batch that is repeated from its stored rows', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHUNK_ROWS: '2' });
  });
  afterAll(() => api.close());
  afterEach(() => jest.restoreAllMocks());

  const completed = async (query = '?type=age_gender', body: unknown = CSV, type = 'text/csv'): Promise<string> => {
    const { id } = (await (await api.post(BATCHES + query, body, { 'content-type': type })).json()) as Seen;
    await api.work();
    return id;
  };
  const repeat = (id: string, query = '', headers: Record<string, string> = {}): Promise<Response> =>
    api.send(`${BATCHES}/${id}/repeat${query}`, { method: 'POST', headers });
  const results = async (id: string, format = 'csv'): Promise<string> =>
    (await api.send(`${BATCHES}/${id}/results?format=${format}&raw=true`)).text();
  const batches = async (): Promise<number> => {
    const { rows } = await api.app.get<Pool>(PG_POOL).query<{ n: number }>('select count(*)::int as n from batch');
    return rows[0].n;
  };
  const repeated = async (id: string, query?: string): Promise<Seen> => {
    const answer = await repeat(id, query);
    const batch = (await answer.json()) as Seen;
    expect([answer.status, batch.state]).toEqual([202, 'accepted']);
    expect(answer.headers.get('location')).toBe(`${BATCHES}/${batch.id}`);
    await api.work();
    return (await (await api.send(`${BATCHES}/${batch.id}`)).json()) as Seen;
  };

  it('has the same rows in the same order, and without options the same results', async () => {
    const id = await completed();
    const again = await repeated(id);
    expect(again).toMatchObject({ type: 'age_gender', state: 'completed', counts: { total: 6, invalid: 3 } });
    expect(again.id).not.toBe(id);
    expect(await results(again.id)).toBe(await results(id));
    expect(await results(again.id)).toContain('Mary,Smith,2016-10-02,Ann,"a, ""b"" \\ c; d",');
  });

  it('takes type, mapping and minimum age from the query, and other options from the batch', async () => {
    const id = await completed('?type=age_gender&min_age=18');
    const other = await repeated(id, '?map.first_name=OTHER+NAME');
    const sent = await completed('?type=age_gender&min_age=18&map.first_name=OTHER+NAME');
    expect(await results(other.id)).toBe(await results(sent));
    expect(await results(other.id)).not.toBe(await results(id));
    const young = await repeated(id, '?min_age=');
    expect(await results(young.id)).toBe(await results(await completed()));
    const kinds = await repeated(id, '?type=ethnicity');
    expect(await results(kinds.id)).toBe(await results(await completed('?type=ethnicity')));
  });

  it('rejects places for a type without them, and reads a blank type as that of the batch', async () => {
    const id = await completed();
    const answer = await repeat(id, '?type=&ethnicity_basis=place');
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [{ pointer: '/query/ethnicity_basis', detail: 'place needs type=contributions' }],
      }),
    ]);
    expect((await repeated(id, '?type=')).type).toBe('age_gender');
  });

  it('may consist of JSON items', async () => {
    const items = '{"name":"Mary","date":"2016-10-01","x":"\\\\ \\" é"}\n[1]\n';
    const id = await completed('?type=age_gender', items, 'application/x-ndjson');
    const again = await repeated(id);
    for (const format of ['csv', 'ndjson']) expect(await results(again.id, format)).toBe(await results(id, format));
  });

  it('is created once per Idempotency-Key', async () => {
    const id = await completed();
    const key = { 'idempotency-key': 'repeat-1' };
    const first = (await (await repeat(id, '?min_age=18', key)).json()) as Seen;
    const second = await repeat(id, '?min_age=18', key);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(((await second.json()) as Seen).id).toBe(first.id);
    expect((await repeat(id, '?min_age=21', key)).status).toBe(422);
    expect((await repeat(await completed(), '?min_age=18', key)).status).toBe(422);
    await api.work();
  });

  it('is rejected with the reason, and nothing is stored', async () => {
    const id = await completed();
    const open = (await (
      await api.post(`${BATCHES}?type=age_gender`, CSV, { 'content-type': 'text/csv' })
    ).json()) as Seen;
    const before = await batches();
    expect((await repeat(open.id)).status).toBe(409);
    expect((await repeat('0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a11')).status).toBe(404);
    expect((await repeat(id, '?format=csv')).status).toBe(400);
    const unmapped = await repeat(id, '?map.date=');
    expect([unmapped.status, await unmapped.json()]).toMatchObject([400, { reason: 'unmapped_columns' }]);
    expect((await repeat(id, '?map.date=nowhere')).status).toBe(400);
    jest.spyOn(api.app.get(BatchResults), 'items').mockImplementation(() => {
      throw Object.assign(new Error('terminating'), { code: '57P01' });
    });
    const lost = await repeat(id);
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await batches()).toBe(before);
    await api.work();
  });

  it('gets 410 if its rows were deleted, even while they are read', async () => {
    const pool = api.app.get<Pool>(PG_POOL);
    const [erased, expired] = [await completed(), await completed()];
    await pool.query('delete from result where batch_id = $1 and row_no > 4', [erased]);
    await pool.query(`update batch set expires_at = now() - interval '1 day' where id = $1`, [expired]);
    const before = await batches();
    const answers = await Promise.all([repeat(erased), repeat(expired)]);
    expect(answers.map(({ status }) => status)).toEqual([410, 410]);
    expect(await batches()).toBe(before);
  });
});
