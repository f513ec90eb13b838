import { type Batch, BatchRepository } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { OperationsWatch } from '@donorlens/operations';
import { type Pool } from 'pg';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { until } from '../../../../test/support/until';
import { type BatchWire } from './batch-wire';
import { BatchPresenter, QueueReason } from './batch-presenter';

const PATH = '/enrich/v1/contributions';
const query = (street: string) => ({
  ...{ first_name: 'Mary', last_name: 'Garcia', date: '2016-10-01' },
  ...{ street, city: 'Samplebury', state: 'CT', zip: '06100' },
});

describe('the reason why a batch waits', () => {
  let api: RunningApi;
  let pool: Pool;
  beforeAll(async () => {
    api = await runningApi();
    pool = api.app.get<Pool>(PG_POOL);
  });
  afterAll(() => api.close());

  const newPresenter = (): BatchPresenter =>
    new BatchPresenter(pool, api.app.get<Config>(CONFIG), new QueueReason(api.app.get(OperationsWatch)));
  const enriched = async (street: string): Promise<string> => {
    const answer = await api.post(PATH, { queries: [query(street)] }, { prefer: 'respond-async' });
    await api.work();
    return ((await answer.json()) as BatchWire).links.self;
  };
  const shown = async (self: string): Promise<BatchWire> => (await (await api.send(self)).json()) as BatchWire;
  /** Retries, because a status that is read too late is only in the next response. */
  const known = (look: () => Promise<BatchWire>): Promise<BatchWire> =>
    until('the reason is known', async () => {
      const wire = await look();
      return wire.waits_for === null ? null : wire;
    });

  it('is shown while the batch waits, but not after it was cancelled or failed', async () => {
    const [running, cancelled, failed] = [
      await enriched('1 Wire St'),
      await enriched('2 Wire St'),
      await enriched('3 Wire St'),
    ];
    await api.post(`${cancelled}/cancel`, {});
    await pool.query(`update batch set state = 'failed' where id = $1`, [failed.split('/').at(-1)]);
    const line = expect.stringMatching(/^\d+ address(?:es)? pending/) as string;
    expect(await known(() => shown(running))).toMatchObject({ state: 'running', waits_for: line });
    expect(await shown(cancelled)).toMatchObject({ state: 'cancelled', addresses: { pending: 1 }, waits_for: null });
    expect(await shown(failed)).toMatchObject({ state: 'failed', addresses: { pending: 1 }, waits_for: null });
    await pool.query(`update batch set state = 'completed' where id = $1`, [running.split('/').at(-1)]);
    expect(await known(() => shown(running))).toMatchObject({ state: 'completed', waits_for: line });
  });

  it('is also shown for rows that are not enriched, without the details for operators', async () => {
    const answer = await api.post(PATH, { queries: [query('6 Wire St')] }, { prefer: 'respond-async' });
    const { id } = (await answer.json()) as BatchWire;
    const { rows } = await pool.query<{ api_key_id: string }>(
      `update batch set created_at = now() - interval '1 minute' where id = $1 returning api_key_id`,
      [id],
    );
    const batch = (await api.app.get(BatchRepository).get(rows[0].api_key_id, id)) as Batch;
    const waitsFor = async (): Promise<string | null> => {
      api.app.get(OperationsWatch).invalidate();
      const presenter = newPresenter();
      return (await known(() => presenter.present(batch))).waits_for;
    };
    expect(await waitsFor()).toBe('no worker is running; processing continues when one starts');
    await pool.query(
      `update queue_state set paused_at = '2026-03-04T12:00:05Z', paused_by = 'night shift' where queue = 'enrich'`,
    );
    expect(await waitsFor()).toBe(
      'processing has been paused since 2026-03-04 12:00:05 UTC; it continues when an operator resumes it',
    );
    const counts = { ...batch.counts, ok: 1 };
    const begun = { ...batch, rowsTotal: 9, counts, startedAt: new Date(Date.now() - 1000) };
    expect((await newPresenter().present(begun)).rows_per_second).toBeNull();
    await pool.query(`update queue_state set paused_at = null`);
    await api.work();
  });

  it('includes the time after which the batch no longer waits for a geocoder that does not answer', async () => {
    const id = (await enriched('5 Wire St')).split('/').at(-1)!;
    const { rows } = await pool.query<{ api_key_id: string }>(
      `update batch set enriched_at = '2026-03-04T12:00:05Z' where id = $1 returning api_key_id`,
      [id],
    );
    const batch = (await api.app.get(BatchRepository).get(rows[0].api_key_id, id)) as Batch;
    const waitsFor = async (geocoder: string): Promise<string | null> => {
      await pool.query('update geocoder set last_answer_at = null, last_error = null, circuit = null');
      await pool.query(`update geocoder set ${geocoder}`);
      const presenter = newPresenter();
      return (await known(() => presenter.present(batch))).waits_for;
    };
    // The wait is a minute if the geocoder has never answered, otherwise GEOCODE_PATIENCE_SECONDS.
    expect(await waitsFor(`refused_reason = null`)).not.toContain('without its addresses');
    expect(await waitsFor(`last_error = 'timeout'`)).toMatch(
      /; without an answer, .* without its addresses soon after 2026-03-04 12:01:05 UTC$/,
    );
    const refused = await waitsFor(`last_answer_at = now(), refused_reason = 'no such benchmark'`);
    expect(refused).toMatch(/no such benchmark .* without its addresses soon after 2026-03-04 12:15:05 UTC$/);
    expect(await waitsFor('last_answer_at = now(), refused_reason = null')).not.toContain('without its addresses');
  });

  it('is read once for concurrent requests, and no request waits long for it', async () => {
    const id = (await enriched('4 Wire St')).split('/').at(-1)!;
    const { rows } = await pool.query<{ api_key_id: string }>('select api_key_id from batch where id = $1', [id]);
    const batch = (await api.app.get(BatchRepository).get(rows[0].api_key_id, id)) as Batch;
    const presenter = newPresenter();
    const locker = await pool.connect();
    const statements = jest.spyOn(pool, 'query');
    const reads = () => statements.mock.calls.filter(([sql]) => /from geocode_address/.test(String(sql)));
    try {
      await locker.query('begin');
      await locker.query('lock table geocode_address in access exclusive mode');
      for (let time = 0; time < 2; time++)
        for (const wire of await presenter.all([batch, batch, batch])) expect(wire.waits_for).toBeNull();
      expect(reads()).toHaveLength(1);
    } finally {
      await locker.query('rollback');
      locker.release();
    }
    for (let time = 0; time < 2; time++)
      expect((await known(() => presenter.present(batch))).waits_for).toMatch(/pending/);
    expect(reads()).toHaveLength(1);
    statements.mockRestore();
  });

  it('is accompanied by whether the geocoder may be called within a given time', async () => {
    const within = async (seconds: number, state: string): Promise<boolean> => {
      await pool.query(`update geocoder set circuit = null, closed_until = null, refused_reason = null`);
      await pool.query(`update geocoder set ${state}`);
      return newPresenter().canGeocodeWithin(seconds);
    };
    const open = `circuit = jsonb_build_object('version', 1, 'openedAt', extract(epoch from now()) * 1000,
      'failedCalls', '[]'::jsonb)`;
    expect([await within(5, open), await within(60, open)]).toEqual([false, true]); // the next test call is after 30 s
    const told = `closed_until = now() + interval '20 seconds'`;
    expect([await within(5, told), await within(60, told)]).toEqual([false, true]);
    expect(await within(60, `refused_reason = 'no such benchmark'`)).toBe(false);
    expect(await within(1, 'refused_reason = null')).toBe(true);
  });

  it('is accompanied by the geocoding rate after the batch was read for some seconds', async () => {
    const { rows } = await pool.query<{ id: string; api_key_id: string }>(
      `select id, api_key_id from batch where state = 'running' limit 1`,
    );
    const batch = (await api.app.get(BatchRepository).get(rows[0].api_key_id, rows[0].id)) as Batch;
    const presenter = newPresenter();
    const earlier = { ...batch, addresses: { ...batch.addresses, pending: batch.addresses.pending + 40 } };
    expect(await presenter.present(earlier)).toMatchObject({ rows_per_second: null, eta_seconds: null });
    const later = performance.now() + 20_000;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    try {
      expect(await presenter.present(batch)).toMatchObject({ rows_per_second: 2, eta_seconds: 1 });
    } finally {
      clock.mockRestore();
    }
  });
});
