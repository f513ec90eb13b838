import { Registry } from 'prom-client';
import { readConfig } from '@donorlens/config';
import { METRICS, type MetricName, createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { OperationsWatch } from './status/operations-watch';
import { OperationsReader } from './status/operations.reader';
import { ServiceMetrics } from './service-metrics';

describe('metrics of the whole service', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase();
  });
  afterEach(() => db.close());

  const metricsOf = (variables: NodeJS.ProcessEnv = { FEC_CYCLES: '2024' }): Registry => {
    const registry = new Registry();
    const away = { counts: () => Promise.resolve(null) };
    const reader = new OperationsReader(db.pool, readConfig({ GEOCODE_CALLS_PER_MINUTE: '60', ...variables }), {
      enrich: away,
      geocode: away,
    });
    new ServiceMetrics(new OperationsWatch(reader, createLogger('test', 'silent'))).register(registry);
    return registry;
  };
  /** Series of the text, as Prometheus reads them. */
  const series = async (registry: Registry): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await registry.metrics())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
    );

  /** With the comparison of counters and rows, which is there at a later scrape where it takes longer than a second. */
  const allSeries = (registry: Registry): Promise<Record<string, string>> =>
    until('all series', async () => {
      const found = await series(registry);
      return 'donorlens_invariant_violations' in found && found;
    });

  it('are zeros on a new database', async () => {
    expect(await allSeries(metricsOf())).toMatchObject({
      donorlens_database_up: '1',
      donorlens_queue_server_up: '0', // no queue server answers here
      donorlens_leader_present: '0',
      'donorlens_workers{queue="enrich"}': '0',
      'donorlens_queue_depth{queue="enrich",state="pending"}': '0',
      'donorlens_queue_oldest_waiting_seconds{queue="geocode"}': '0',
      'donorlens_jobs_total{queue="geocode",outcome="failed"}': '0',
      'donorlens_batches_open{state="running"}': '0',
      donorlens_invariant_violations: '0',
      'donorlens_geocoder_circuit{state="closed"}': '1',
      donorlens_geocoder_calls_per_minute: '60',
      'donorlens_webhook_deliveries{state="failed"}': '0',
    });
  });

  it('count waiting work and workers, with the age of the oldest', async () => {
    await db.pool.query(SOME_WORK);
    const found = await allSeries(metricsOf());
    expect(found).toMatchObject({
      donorlens_leader_present: '1',
      'donorlens_processes{role="worker"}': '2', // the third was last seen a minute ago
      'donorlens_workers{queue="enrich"}': '2',
      'donorlens_workers{queue="geocode"}': '1',
      'donorlens_queue_paused{queue="geocode"}': '1',
      'donorlens_queue_paused{queue="enrich"}': '0',
      'donorlens_queue_depth{queue="enrich",state="pending"}': '1',
      'donorlens_queue_depth{queue="enrich",state="leased"}': '1',
      'donorlens_rows_total{outcome="ok"}': '150000000',
      'donorlens_jobs_total{queue="enrich",outcome="done"}': '12',
      'donorlens_batches_open{state="running"}': '1',
      donorlens_invariant_violations: '1',
      donorlens_clock_difference_seconds: '3.5',
      donorlens_erasure_overdue_seconds: '0',
      'donorlens_refresh_failing{kind="import-fec"}': '1',
      'donorlens_refresh_success_timestamp_seconds{kind="import-fec"}': '1767225600',
    });
    expect(Number(found['donorlens_queue_oldest_waiting_seconds{queue="enrich"}'])).toBeGreaterThanOrEqual(3600);
  });

  it('have no samples of runs of a source that is switched off', async () => {
    await db.pool.query(SOME_WORK);
    const found = await series(metricsOf({}));
    expect(Object.keys(found).filter((name) => name.includes('import-fec'))).toEqual([]);
  });

  it('are read once for simultaneous scrapes', async () => {
    const queries = jest.spyOn(db.pool, 'query');
    const registry = metricsOf();
    await registry.metrics();
    const once = queries.mock.calls.length;
    await Promise.all([registry.metrics(), registry.metrics(), series(registry)]);
    expect(queries.mock.calls.length).toBe(once);
  });

  it('give the age of work that is due, not of work that waits for a retry', async () => {
    await db.pool.query(SOME_WORK);
    await db.pool.query(`update chunk set not_before = now() + interval '1 minute' where state = 'pending'`);
    expect(await series(metricsOf())).toMatchObject({
      'donorlens_queue_depth{queue="enrich",state="pending"}': '1',
      'donorlens_queue_oldest_waiting_seconds{queue="enrich"}': '0',
    });
  });

  it('report no processes while heartbeats are late', async () => {
    await db.pool.query(SOME_WORK);
    await db.pool.query(`update process set seen_at = now() - interval '1 minute'`);
    const found = Object.keys(await series(metricsOf())).map((name) => name.replace(/\{.*/, ''));
    expect(found).toContain('donorlens_queue_server_up');
    for (const name of ['donorlens_leader_present', 'donorlens_workers', 'donorlens_processes'])
      expect(found).not.toContain(name);
  });

  it('have the type and the labels of the table', async () => {
    await db.pool.query(SOME_WORK);
    for (const { name, type, values } of await metricsOf().getMetricsAsJSON()) {
      const { labels, type: stated } = METRICS[name as MetricName];
      expect([name, type]).toEqual([name, stated]);
      for (const value of values) expect(Object.keys(value.labels).sort()).toEqual([...labels].sort());
    }
  });
});

const SOME_WORK = `
  insert into lease (name, holder, expires_at) values ('aggregator', 'h', now() + interval '10 seconds');
  insert into process (id, role, host, pid, version, queues, seen_at) values
    (gen_random_uuid(), 'worker', 'h', 1, '0', '{enrich,geocode}', now()),
    (gen_random_uuid(), 'worker', 'h', 2, '0', '{enrich}', now()),
    (gen_random_uuid(), 'worker', 'h', 3, '0', '{enrich}', now() - interval '1 minute');
  update process set clock_difference_seconds = case pid when 1 then 1 when 2 then -3.5 else 3600 end;
  update queue_state set paused_at = now() where queue = 'geocode';
  insert into api_key (id, name, prefix, secret_hash, scopes)
    values ('00000000-0000-0000-0000-000000000001', 'n', 'p', decode(repeat('00', 32), 'hex'), '{}');
  insert into batch (id, api_key_id, type, input_format, state, created_at, chunks_total, chunks_done, rows_total)
    values ('00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000001', 'ethnicity', 'csv', 'running',
            now() - interval '1 hour', 2, 1, 20);
  insert into chunk (batch_id, seq, first_row, rows, state) values
    ('00000000-0000-0000-0000-000000000002', 0, 1, 10, 'pending'),
    ('00000000-0000-0000-0000-000000000002', 1, 11, 10, 'leased');
  insert into work_total (kind, label, value) values ('rows', 'ok', 150000000), ('chunks', 'done', 12);
  insert into job_run (kind, scheduled_for, state, finished_at) values
    ('import-fec', '2026-01-01T00:00:00Z', 'done', '2026-01-01T00:00:00Z'),
    ('import-fec', '2026-01-02T00:00:00Z', 'failed', '2026-01-02T00:00:00Z');`;
