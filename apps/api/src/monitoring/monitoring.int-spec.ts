import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { VERSION } from '@donorlens/observability';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describe('health', () => {
  let api: RunningApi;
  afterEach(() => api.close());

  it('is ready when database, schema and a data release are there, and names its version and the release', async () => {
    api = await runningApi();
    expect(await (await fetch(`${api.url}/health/live`)).json()).toEqual({ status: 'live', version: VERSION });
    const answer = await fetch(`${api.url}/health/ready/`);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        status: 'ready',
        version: VERSION,
        release: expect.stringMatching(/^sample\./) as string,
        label: 'sample',
        checks: { database: 'ok', schema: 'ok', data_release: 'ok' },
      },
    ]);
  });

  it('names queues that have stopped, also with work that is younger than the clock because it was set back', async () => {
    api = await runningApi();
    const batch = { queries: [{ surname: 'Smith', year: 2010 }] };
    expect((await api.post('/enrich/v1/ethnicity', batch, { prefer: 'respond-async' })).status).toBe(202);
    const pool = api.app.get<Pool>(PG_POOL);
    await pool.query(`update batch set created_at = now() + interval '1 hour'`);
    await pool.query(
      `insert into process (id, role, host, pid, version, queues, seen_at)
       values (gen_random_uuid(), 'worker', 'h', 1, '0', '{enrich}', now() + interval '1 hour')`,
    );
    const answer = await fetch(`${api.url}/health/ready`);
    expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'ready', stopped: ['enrich'] }]);
    const status = await (await api.send('/enrich/v1/batches')).json();
    expect(status).toMatchObject({
      results: [{ waits_for: 'no worker is running; processing continues when one starts' }],
    });
  });

  it('is not ready without a data release, says so, and lookups answer 503', async () => {
    api = await runningApi({}, false);
    expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
    const answer = await fetch(`${api.url}/health/ready`);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({
        code: 'unavailable',
        detail: 'Waiting for: data release. The aggregator loads the data release: its log has the current step.',
        checks: { database: 'ok', schema: 'ok', data_release: 'missing' },
      }),
    ]);
    expect((await fetch(`${api.url}/`)).status).toBe(200);
    const lookup = await api.send('/enrich/v1/ethnicity/surname/Smith/year/2010');
    expect([lookup.status, lookup.headers.get('retry-after')]).toEqual([503, '5']);
  });
});
