import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { BatchRepository, ReconcilerRepository } from '@donorlens/batches';
import { type Config, ConfigModule, readConfig } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { readGeocoderStatus } from '@donorlens/locations';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { OpsRequests, QueuePauses } from '@donorlens/operations';
import { CallProducer, CallQueueModule, QueueProducer, QueuesModule, migrateQueue } from '@donorlens/queues';
import { type TestDatabase, hasTestRedis, testDatabase, testRedisUrl, until } from '../../../test/support';
import { Asked } from './asked';
import { AskedWork } from './asked-work';
import { Pausing } from './pausing';

const KEY = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a22';
const BATCH = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a11';

describe('what operators ask of the leader', () => {
  const logger = createLogger('test', 'silent');
  let db: TestDatabase;
  let requests: OpsRequests;
  beforeAll(async () => {
    db = await testDatabase();
    requests = new OpsRequests(db.pool);
  });
  afterAll(() => db.close());

  describe.each(hasTestRedis() ? (['redis', 'postgres'] as const) : (['postgres'] as const))(
    'pausing on %s',
    (backend) => {
      let app: INestApplicationContext;
      let enrich: QueueProducer;
      let pausing: Pausing;

      beforeAll(async () => {
        const REDIS_URL = hasTestRedis() ? testRedisUrl() : undefined;
        const config: Config = readConfig({ QUEUE_BACKEND: backend, DATABASE_URL: db.url, REDIS_URL });
        await migrateQueue(config);
        const imports = [ConfigModule.with(config), ObservabilityModule.with(logger), QueuesModule, CallQueueModule];
        app = await Test.createTestingModule({ imports }).compile();
        enrich = app.get(QueueProducer);
        pausing = new Pausing(new QueuePauses(db.pool), enrich, app.get(CallProducer), logger);
        await until(
          'the queues answer',
          async () => (await enrich.room()) > 0 && (await app.get(CallProducer).room()) > 0,
        );
      });
      afterAll(() => app.close());
      const tick = (): Promise<void> => pausing.tick({ epoch: '1' });
      const newest = async (): Promise<string | null> => (await requests.recent(1))[0].state;

      it('happens with the next tick, and ends as one', async () => {
        await requests.ask('pause', { queue: 'enrich' }, 'night shift');
        expect(await enrich.isPaused()).toBe(false);
        await tick();
        expect([await enrich.isPaused(), await app.get(CallProducer).isPaused(), await newest()]).toEqual([
          true,
          false,
          'done',
        ]);
        await requests.ask('resume', { queue: 'enrich' }, 'night shift');
        await tick();
        expect([await enrich.isPaused(), await newest()]).toEqual([false, 'done']);
      });

      it("comes back by itself where the queue's server has lost everything", async () => {
        await requests.ask('pause', { queue: 'enrich' }, 'night shift');
        await tick();
        if (backend === 'redis') await new Redis(testRedisUrl()).pipeline().flushdb().quit().exec();
        else await db.pool.query('truncate bullmq.meta, bullmq.job cascade');
        expect(await enrich.isPaused()).toBe(false);
        await tick();
        expect(await enrich.isPaused()).toBe(true);
        await requests.ask('resume', { queue: 'enrich' }, 'night shift');
        await tick();
      });
    },
  );

  describe('at once', () => {
    const options = readConfig({}).geocoder;
    let asked: Asked;
    beforeAll(() => {
      const calls = new CallRepository(db.pool, options);
      const work = new AskedWork(requests, logger);
      asked = new Asked(work, new BatchRepository(db.pool), new ReconcilerRepository(db.pool), calls, logger);
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

    it('drives chunks again that are parked or whose job may be lost, and leaves those in work alone', async () => {
      await batchWithChunks();
      expect(await asked.answer({ action: 'redrive', target: { queue: 'enrich' } })).toEqual({ chunks: 2 });
      expect(await chunkStates()).toEqual(['pending', 'pending', 'leased']);
      expect(await asked.answer({ action: 'redrive', target: { queue: 'enrich' } })).toEqual({ chunks: 0 });
    });

    it('cancels a batch whoever sent it, and says that there is none', async () => {
      expect(await asked.answer({ action: 'cancel-batch', target: { batch: BATCH } })).toEqual({ state: 'cancelling' });
      expect(await chunkStates()).toEqual(['cancelled', 'cancelled', 'leased']);
      await expect(asked.answer({ action: 'cancel-batch', target: { batch: KEY } })).rejects.toThrow('no such batch');
    });

    it('lets the next call try an open circuit, and leaves a geocoder alone that asked for it', async () => {
      const open = { ownState: { value: 1, openedAt: Date.now(), attemptNo: 1 }, breakerState: null, blamed: [] };
      await db.pool.query(`update geocoder set circuit = $1, closed_until = now() + interval '5 minutes'`, [open]);
      await db.pool.query(
        `insert into geocode_call (kind, benchmark, vintage, rows, not_before) values ('batch', 'b', 'v', 1, now() + interval '1 hour')`,
      );
      expect((await readGeocoderStatus(db.pool, options)).circuit).toBe('open');
      const { leftAloneUntil, ...redriven } = (await asked.answer({
        action: 'redrive',
        target: { queue: 'geocode' },
      })) as {
        leftAloneUntil: Date | null;
      };
      expect(redriven).toEqual({ calls: 1, isProbed: true });
      expect(leftAloneUntil).not.toBeNull();
      await db.pool.query('update geocoder set closed_until = null');
      const status = await readGeocoderStatus(db.pool, options);
      expect([status.circuit, status.closedUntil]).toEqual(['open', null]); // the next call is its probe
      const calls = new CallRepository(db.pool, options);
      expect(await calls.due(10)).toHaveLength(1);
    });
  });
});
