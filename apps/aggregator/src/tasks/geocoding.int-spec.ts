import { type Pool } from 'pg';
import { BatchAddresses } from '@donorlens/batches';
import { readConfig } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { createLogger } from '@donorlens/observability';
import { type CallProducer, type CallRef, QueueAwayError } from '@donorlens/queues';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { newApiKey } from '../../../../test/support/pipeline/pipeline';
import { repeat } from '../scheduling/leader-task-runner';
import { GeocodingTask } from './geocoding.task';

/** A queue that holds each job once, and can become unavailable. */
class Queue implements Pick<CallProducer, 'enqueue' | 'remainingCapacity'> {
  readonly jobs = new Set<string>();
  isAway = false;

  enqueue(refs: readonly CallRef[]): Promise<void> {
    if (this.isAway) return Promise.reject(new QueueAwayError('away'));
    for (const { callId } of refs) this.jobs.add(callId);
    return Promise.resolve();
  }

  remainingCapacity(): Promise<number> {
    return Promise.resolve(this.isAway ? 0 : 1000);
  }
}

const logger = createLogger('test', 'silent');

describe('the geocoding task', () => {
  let db: TestDatabase;
  let queue: Queue;
  let ended: AbortController;
  let done: Promise<void>;

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    queue = new Queue();
    ended = new AbortController();
    await db.pool.query('truncate geocode_call, geocode_address cascade');
  });
  afterEach(async () => {
    ended.abort();
    await done;
  });

  function lead(pool: Pool = db.pool): void {
    const config = readConfig({ GEOCODE_CALL_ROWS: '1', GEOCODE_PATIENCE_SECONDS: '30' });
    const calls = new CallRepository(pool, config.geocoder);
    const producer = queue as Partial<CallProducer> as CallProducer;
    const task = new GeocodingTask(calls, new BatchAddresses(pool), producer, config, logger);
    const fence = { lease: 'aggregator', epoch: '1' };
    done = repeat(task, { fence, signal: ended.signal, isCurrent: () => true }, logger);
  }
  let asked = 0;
  const ask = () =>
    db.pool.query(
      `insert into geocode_address (address_key, ask_order, street, city, state, zip, benchmark, vintage)
       values ($1, 1, '', '', '', '', 'b', 'v')`,
      [Buffer.from(`${asked++}`)],
    );
  const calls = async (): Promise<{ id: string; state: string }[]> =>
    (await db.pool.query<{ id: string; state: string }>('select id, state from geocode_call order by id')).rows;

  it('groups addresses into calls, adds jobs for the calls, and adds lost jobs again', async () => {
    lead();
    await ask();
    await until('a job', () => queue.jobs.size === 1);
    const [{ id }] = await until('it is noted', async () => {
      const all = await calls();
      return all[0]?.state === 'queued' && all;
    });
    expect([...queue.jobs]).toEqual([id]);
    queue.jobs.clear();
    await db.pool.query(`update geocode_call set enqueued_at = now() - interval '1 minute'`);
    await until('the job is there again', () => queue.jobs.has(id));
  });

  it('frees the calls of crashed workers', async () => {
    await ask();
    await db.pool.query(
      `with call as (insert into geocode_call (kind, benchmark, vintage, rows, state, lease_id, lease_until)
                     values ('batch', 'b', 'v', 1, 'leased', gen_random_uuid(), now() - interval '1 s') returning id)
       update geocode_address set call_id = call.id from call`,
    );
    lead();
    await until('its job', () => queue.jobs.size === 1);
  });

  it('waits while the queue does not answer, and marks no call as enqueued whose job was not added', async () => {
    queue.isAway = true;
    lead();
    await ask();
    await until('a call', async () => (await calls()).length === 1);
    expect((await calls())[0].state).toBe('pending');
    queue.isAway = false;
    await until('its job', () => queue.jobs.size === 1);
  });

  it('continues after database errors', async () => {
    let faults = 0;
    const faulty = new Proxy(db.pool, {
      get: (pool, name) => {
        const value: unknown = Reflect.get(pool, name, pool);
        if (typeof value !== 'function') return value;
        if (name === 'query' && faults++ < 3) return () => Promise.reject(new Error('away'));
        return value.bind(pool) as unknown;
      },
    });
    await ask();
    lead(faulty);
    await until('its job', () => queue.jobs.size === 1);
    expect(faults).toBeGreaterThan(3);
  });

  it('only checks for work and for timed-out batches while no address waits', async () => {
    const statements: string[] = [];
    const watched = new Proxy(db.pool, {
      get: (pool, name) => {
        const value: unknown = Reflect.get(pool, name, pool);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          statements.push(String(args[0]).trim().slice(0, 12));
          return value.apply(pool, args);
        };
      },
    });
    lead(watched);
    await until('eight ticks', () => statements.length >= 10);
    expect(statements.slice(0, 10).filter((statement) => statement === 'update batch')).toHaveLength(2);
    expect(new Set(statements).size).toBe(2);
  });

  it('completes batches that have waited too long', async () => {
    await db.pool.query(
      `insert into batch (id, api_key_id, type, input_format, state, data_release, rows_total, chunks_total, chunks_done,
                          ok_rows, pending_rows, enriched_at, expires_at)
       values ('0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10', $1, 'contributions', 'csv', 'running', 'sample.1', 1, 1, 1,
               1, 1, now() - interval '31 s', now() + interval '1 h')`,
      [await newApiKey(db.pool)],
    );
    lead();
    await until('it has completed', async () => {
      const { rows } = await db.pool.query<{ state: string }>('select state from batch');
      return rows[0].state === 'completed';
    });
  });
});
