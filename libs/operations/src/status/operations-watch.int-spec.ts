import { Pool } from 'pg';
import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { Registry } from 'prom-client';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { ServiceMetrics } from '../service-metrics';
import { OperationsWatch } from './operations-watch';
import { OperationsReader } from './operations.reader';

const seriesIn = (text: string): string[] => text.split('\n').filter((line) => /^\w/.test(line));
const NO_QUEUE = { counts: () => Promise.resolve(null) };

describe('a database that does not answer in time', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  const watchOf = (pool: Pool) =>
    new OperationsWatch(
      new OperationsReader(pool, readConfig({}), { enrich: NO_QUEUE, geocode: NO_QUEUE }),
      createLogger('test', 'silent'),
    );

  it('is reported as slow, not as down, on pages and in metrics', async () => {
    const watch = watchOf(db.pool);
    const registry = new Registry();
    new ServiceMetrics(watch).register(registry);
    const before = await watch.read();
    watch.invalidate();
    const locker = await db.pool.connect();
    try {
      await locker.query('begin; lock table queue_state in access exclusive mode');
      const [{ status, issue }, text] = await Promise.all([watch.read(), registry.metrics()]);
      expect(status).toBe(before.status);
      expect(issue).toEqual({ kind: 'slow', since: expect.any(Date) as Date, at: 'DATABASE_URL' });
      expect(seriesIn(text)).toEqual(['donorlens_database_up 1']);
    } finally {
      await locker.query('rollback');
      locker.release();
    }
    expect((await watch.read()).issue).toBeNull();
  });

  it('is reported as down if it does not answer at all', async () => {
    const pool = new Pool({ connectionString: 'postgres://unknown@127.0.0.1:1/nothing' });
    const watch = watchOf(pool);
    const registry = new Registry();
    new ServiceMetrics(watch).register(registry);
    expect(await watch.read()).toMatchObject({
      status: null,
      issue: { kind: 'away', since: expect.any(Date) as Date },
    });
    expect(seriesIn(await registry.metrics())).toEqual(['donorlens_database_up 0']);
    await pool.end();
  });

  it('is read again at once after an outage: the first answer precedes the heartbeats of other processes', async () => {
    const reader = new OperationsReader(db.pool, readConfig({}), { enrich: NO_QUEUE, geocode: NO_QUEUE });
    const status = jest.spyOn(reader, 'status').mockRejectedValueOnce(new Error('it is away'));
    const ping = jest.spyOn(reader, 'ping').mockRejectedValueOnce(new Error('it is away'));
    const watch = new OperationsWatch(reader, createLogger('test', 'silent'));
    expect((await watch.read()).issue?.kind).toBe('away');
    watch.invalidate();
    for (const looks of [2, 3, 3]) {
      expect((await watch.read()).issue).toBeNull();
      expect(status).toHaveBeenCalledTimes(looks);
    }
    expect(ping).toHaveBeenCalledTimes(1);
  });

  it('does not delay the rest of the status while counters are compared', async () => {
    let isCompared: () => void = () => undefined;
    const compared = new Promise<void>((resolve) => (isCompared = resolve));
    const held = (async (sql: string, values?: unknown[]) => {
      if (sql.includes('as violations')) await compared;
      return db.pool.query(sql, values);
    }) as Pool['query'];
    const pool = new Proxy(db.pool, { get: (target, name) => (name === 'query' ? held : Reflect.get(target, name)) });
    const watch = watchOf(pool);
    const registry = new Registry();
    new ServiceMetrics(watch).register(registry);
    const { status, issue } = await watch.read();
    expect([issue, status?.violations]).toEqual([null, null]);
    const text = await registry.metrics();
    expect(text).toMatch(/^donorlens_database_up 1$/m);
    expect(text).toMatch(/^donorlens_leader_present 0$/m);
    expect(text).not.toMatch(/^donorlens_invariant_violations \d/m);
    isCompared();
    watch.invalidate();
    expect((await watch.read()).status?.violations).toBe(0);
  });
});
