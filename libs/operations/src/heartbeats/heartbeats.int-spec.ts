import { type Pool } from 'pg';
import pino from 'pino';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { ProcessHeartbeat } from './process-heartbeat';
import { WorkCounter } from './work-counter';

const logger = pino({ level: 'silent' });

describe('the heartbeat of a process', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  const rows = async () => (await db.pool.query('select role, queues, in_work, pid from process')).rows;
  const worker = { role: 'worker', queues: ['enrich'], inWork: () => 2 } as const;

  it('has a row while the process runs, and none after a normal end', async () => {
    const heartbeat = new ProcessHeartbeat(db.pool, logger);
    await heartbeat.start(worker);
    expect(await rows()).toEqual([{ role: 'worker', queues: ['enrich'], in_work: 2, pid: process.pid }]);
    await heartbeat.beforeApplicationShutdown();
    expect(await rows()).toEqual([]);
  });

  it('shows with the second heartbeat how far the clock of Postgres is ahead of that of the process', async () => {
    const heartbeat = new ProcessHeartbeat(db.pool, logger);
    const differences = async () =>
      (await db.pool.query<{ s: number | null }>('select clock_difference_seconds as s from process')).rows;
    await heartbeat.start(worker);
    expect(await differences()).toEqual([{ s: null }]);
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await heartbeat.start(worker); // measures
    jest.restoreAllMocks();
    await heartbeat.start(worker);
    expect((await differences()).map(({ s }) => Math.round(s ?? 0))).toEqual([3_600]);
    await heartbeat.beforeApplicationShutdown();
  });

  it('deletes rows of processes that were killed an hour ago: until then operators see them', async () => {
    await db.pool.query(
      `insert into process (id, role, host, pid, version, seen_at)
       values (gen_random_uuid(), 'api', 'h', 1, '0', now() - interval '61 minutes'),
              (gen_random_uuid(), 'aggregator', 'h', 2, '0', now() - interval '30 minutes')`,
    );
    const heartbeat = new ProcessHeartbeat(db.pool, logger);
    await heartbeat.start(worker);
    expect((await rows()).map(({ role }: { role: string }) => role).sort()).toEqual(['aggregator', 'worker']);
    await heartbeat.beforeApplicationShutdown();
  });
});

describe('an outage in which no heartbeat could be written', () => {
  afterEach(() => jest.restoreAllMocks());

  it('gives all other processes time to write again before they count as missing', async () => {
    const pool = { query: () => Promise.resolve({ rows: [] }) } as unknown as Pool;
    const heartbeat = new ProcessHeartbeat(pool, logger);
    let seconds = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => 1000 * seconds);
    const write = () => heartbeat.start({ role: 'api', queues: [], inWork: () => 0 });
    const outageSeconds = () => {
      const since = heartbeat.lateSince();
      return since && Math.round((Date.now() - since.getTime()) / 1000);
    };
    expect(outageSeconds()).toBeNull(); // a process that starts knows of no outage
    await write();
    seconds += 6;
    expect(outageSeconds()).toBeNull();
    seconds += 54;
    expect(outageSeconds()).toBe(60);
    await write();
    for (let beats = 0; beats < 3; beats++) {
      seconds += 5;
      await write();
    }
    expect(outageSeconds()).toBe(75); // 15 s ago it could write again
    seconds += 6;
    expect(outageSeconds()).toBeNull();
    await heartbeat.beforeApplicationShutdown();
  });
});

describe('the counts of workers', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  const minutes = async () =>
    (
      await db.pool.query(
        `select queue, sum(done)::int as done, sum(failed)::int as failed, sum(rows)::int as rows
         from queue_minute group by queue order by queue`,
      )
    ).rows;
  const totals = async () =>
    (await db.pool.query(`select kind || ' ' || label as name, value::int from work_total order by 1`)).rows;

  it('add up over workers and flushes: jobs of each minute, totals by outcome', async () => {
    const [one, other] = [new WorkCounter(db.pool, logger), new WorkCounter(db.pool, logger)];
    one.jobDone('enrich', 1000, { ok: 990, partial: 0, invalid: 10 });
    one.jobFailed('enrich');
    other.jobDone('enrich', 500, { ok: 500 });
    other.jobDone('geocode', 7, { match: 5, tie: 2 });
    await Promise.all([one.flush(), other.flush()]);
    one.jobDone('enrich', 10, { ok: 10 });
    await one.beforeApplicationShutdown();
    await one.flush(); // nothing is left: nothing changes
    expect(await minutes()).toEqual([
      { queue: 'enrich', done: 3, failed: 1, rows: 1510 },
      { queue: 'geocode', done: 1, failed: 0, rows: 7 },
    ]);
    expect(await totals()).toEqual([
      { name: 'addresses match', value: 5 },
      { name: 'addresses tie', value: 2 },
      { name: 'calls done', value: 1 },
      { name: 'chunks done', value: 3 },
      { name: 'chunks failed', value: 1 },
      { name: 'rows invalid', value: 10 },
      { name: 'rows ok', value: 1500 },
    ]);
  });

  it('are written every few seconds after the first count, and not before', async () => {
    jest.useFakeTimers();
    const query = jest.fn(() => Promise.resolve());
    const counter = new WorkCounter({ query } as unknown as Pool, logger);
    expect(jest.getTimerCount()).toBe(0);
    for (const writes of [1, 2]) {
      counter.jobDone('enrich', 3, { ok: 3 });
      await jest.runOnlyPendingTimersAsync();
      expect(query).toHaveBeenCalledTimes(writes);
    }
    await counter.beforeApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('wait for a database that is away, and are written whole when it is back', async () => {
    await db.pool.query('truncate queue_minute, work_total');
    let isAway = true;
    const query = (sql: string, values: unknown[]) =>
      isAway ? Promise.reject(new Error('Connection terminated')) : db.pool.query(sql, values);
    const counter = new WorkCounter({ query } as unknown as Pool, logger);
    counter.jobDone('enrich', 3, { ok: 3 });
    const failing = counter.flush();
    counter.jobDone('enrich', 4, { ok: 4 });
    await failing;
    isAway = false;
    expect(await minutes()).toEqual([]);
    await counter.flush();
    expect(await minutes()).toEqual([{ queue: 'enrich', done: 2, failed: 0, rows: 7 }]);
    expect(await totals()).toEqual([
      { name: 'chunks done', value: 2 },
      { name: 'rows ok', value: 7 },
    ]);
  });

  it('drop the jobs of a minute after a day, and keep the totals', async () => {
    await db.pool.query(
      `truncate queue_minute; insert into queue_minute (queue, minute, done) values ('enrich', now() - interval '26 hours', 5)`,
    );
    const counter = new WorkCounter(db.pool, logger);
    counter.jobDone('enrich', 1, { ok: 1 });
    await counter.flush();
    expect(await minutes()).toEqual([{ queue: 'enrich', done: 1, failed: 0, rows: 1 }]);
  });
});
