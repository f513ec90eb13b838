import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { BatchRepository, ReconcilerRepository } from '@donorlens/batches';
import { type Config, ConfigModule, readConfig } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { readGeocoderStatus } from '@donorlens/locations';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { OperatorRequests, QueuePauses } from '@donorlens/operations';
import { CallProducer, CallQueueModule, ChunkProducer, QueuesModule, migrateQueue } from '@donorlens/queues';
import { type TestDatabase, hasTestRedis, testDatabase, testRedisUrl } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { OperatorRequestRunner } from '../scheduling/operator-request-runner';
import { OperatorRequestTask, QueuePauseTask } from './operator-request.task';

const KEY = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a22';
const BATCH = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a11';

describe('operator requests', () => {
  const logger = createLogger('test', 'silent');
  let db: TestDatabase;
  let requests: OperatorRequests;
  beforeAll(async () => {
    db = await testDatabase();
    requests = new OperatorRequests(db.pool);
  });
  afterAll(() => db.close());

  it('stay open after an outage of the database, and fail after any other error', async () => {
    const fence = { lease: 'aggregator', epoch: '7' };
    const term = { fence, signal: new AbortController().signal, isCurrent: () => true };
    await db.pool.query(`insert into lease values ('aggregator', 'test', 7, now() + interval '1 minute')`);
    await requests.submit('refresh', { source: 'charts' }, 'night shift');
    const runner = new OperatorRequestRunner(requests, logger);
    const run = (error: Error) => runner.run('campaign-data', term, () => Promise.reject(error));
    const newest = async () => (await requests.recent(1))[0];
    await expect(run(new Error('Connection terminated unexpectedly'))).rejects.toThrow('terminated');
    expect(await newest()).toMatchObject({ state: 'running' });
    await run(new Error('no cycle is configured'));
    expect(await newest()).toMatchObject({ state: 'failed', outcome: { message: 'no cycle is configured' } });
    await db.pool.query('delete from lease');
  });

  describe.each(hasTestRedis() ? (['redis', 'postgres'] as const) : (['postgres'] as const))(
    'to pause a queue on %s',
    (backend) => {
      let app: INestApplicationContext;
      let enrich: ChunkProducer;
      let task: QueuePauseTask;

      beforeAll(async () => {
        const REDIS_URL = hasTestRedis() ? testRedisUrl() : undefined;
        const config: Config = readConfig({ QUEUE_BACKEND: backend, DATABASE_URL: db.url, REDIS_URL });
        await migrateQueue(config);
        const imports = [
          ConfigModule.forRoot(config),
          ObservabilityModule.forRoot(logger),
          QueuesModule,
          CallQueueModule,
        ];
        app = await Test.createTestingModule({ imports }).compile();
        enrich = app.get(ChunkProducer);
        task = new QueuePauseTask(new QueuePauses(db.pool), enrich, app.get(CallProducer), logger);
        await until(
          'the queues answer',
          async () => (await enrich.remainingCapacity()) > 0 && (await app.get(CallProducer).remainingCapacity()) > 0,
        );
      });
      afterAll(() => app.close());
      const tick = (): Promise<void> => task.run({ fence: { lease: 'aggregator', epoch: '1' } });
      const newest = async (): Promise<string | null> => (await requests.recent(1))[0].state;

      it('are applied by the next run, and so are requests to resume it', async () => {
        await requests.submit('pause', { queue: 'enrich' }, 'night shift');
        expect(await enrich.isPaused()).toBe(false);
        await tick();
        expect([await enrich.isPaused(), await app.get(CallProducer).isPaused(), await newest()]).toEqual([
          true,
          false,
          'done',
        ]);
        await requests.submit('resume', { queue: 'enrich' }, 'night shift');
        await tick();
        expect([await enrich.isPaused(), await newest()]).toEqual([false, 'done']);
      });

      it('are applied again after the queue server has lost its data', async () => {
        await requests.submit('pause', { queue: 'enrich' }, 'night shift');
        await tick();
        if (backend === 'redis') await new Redis(testRedisUrl()).pipeline().flushdb().quit().exec();
        else await db.pool.query('truncate bullmq.meta, bullmq.job cascade');
        expect(await enrich.isPaused()).toBe(false);
        await tick();
        expect(await enrich.isPaused()).toBe(true);
        await requests.submit('resume', { queue: 'enrich' }, 'night shift');
        await tick();
      });
    },
  );

  describe('that run for a short time', () => {
    const options = readConfig({}).geocoder;
    let task: OperatorRequestTask;
    beforeAll(() => {
      const calls = new CallRepository(db.pool, options);
      const runner = new OperatorRequestRunner(requests, logger);
      task = new OperatorRequestTask(runner, new BatchRepository(db.pool), new ReconcilerRepository(db.pool), calls);
    });

    const batchWithChunks = async (): Promise<void> => {
      await db.pool.query(
        `with key as (insert into api_key (id, name, prefix, secret_hash, scopes)
                      values ($2, 'newsroom', 'p', decode(repeat('00', 32), 'hex'), '{}') on conflict do nothing)
         insert into batch (id, api_key_id, type, input_format, rows_total, chunks_total, expires_at)
         values ($1, $2, 'ethnicity', 'csv', 30, 3, now())`,
        [BATCH, KEY],
      );
      await db.pool.query(
        `insert into chunk (batch_id, seq, state, first_row, rows, not_before, enqueued_at, lease_until)
         values ($1, 0, 'queued', 1, 10, null, now(), null), ($1, 1, 'pending', 11, 10, now() + interval '1 hour', null, null),
                ($1, 2, 'leased', 21, 10, null, null, now() + interval '1 minute')`,
        [BATCH],
      );
    };
    const chunkStates = async (): Promise<string[]> =>
      (
        await db.pool.query<{ s: string }>(
          `select state || coalesce(not_before::text, '') as s from chunk order by seq`,
        )
      ).rows.map(({ s }) => s);

    it('retry chunks that wait for a retry or whose job may be lost, and do not change leased chunks', async () => {
      await batchWithChunks();
      expect(await task.execute({ action: 'redrive', target: { queue: 'enrich' } })).toEqual({ chunks: 2 });
      expect(await chunkStates()).toEqual(['pending', 'pending', 'leased']);
      expect(await task.execute({ action: 'redrive', target: { queue: 'enrich' } })).toEqual({ chunks: 0 });
    });

    it('cancel a batch of any client, and fail if there is no such batch', async () => {
      expect(await task.execute({ action: 'cancel-batch', target: { batch: BATCH } })).toEqual({ state: 'cancelling' });
      expect(await chunkStates()).toEqual(['cancelled', 'cancelled', 'leased']);
      await expect(task.execute({ action: 'cancel-batch', target: { batch: KEY } })).rejects.toThrow('no such batch');
    });

    it('make the next call probe an open circuit, and respect a Retry-After of the geocoder', async () => {
      const open = { version: 1, openedAt: Date.now(), failedCalls: [] };
      await db.pool.query(`update geocoder set circuit = $1, closed_until = now() + interval '5 minutes'`, [open]);
      await db.pool.query(
        `insert into geocode_call (kind, benchmark, vintage, rows, not_before) values ('batch', 'b', 'v', 1, now() + interval '1 hour')`,
      );
      expect((await readGeocoderStatus(db.pool, options)).circuit).toBe('open');
      const { pausedUntil, ...redriven } = (await task.execute({
        action: 'redrive',
        target: { queue: 'geocode' },
      })) as {
        pausedUntil: Date | null;
      };
      expect(redriven).toEqual({ calls: 1, isProbed: true });
      expect(pausedUntil).not.toBeNull();
      await db.pool.query('update geocoder set closed_until = null');
      const status = await readGeocoderStatus(db.pool, options);
      expect([status.circuit, status.closedUntil]).toEqual(['open', null]); // the next call probes it
      const calls = new CallRepository(db.pool, options);
      expect(await calls.findDue(10)).toHaveLength(1);
    });
  });
});
