import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { BatchLife } from '../../../test/support/pipeline/batch-life';
import { newApiKey, textOf } from '../../../test/support/pipeline/pipeline';
import { ResultsNotReadyError } from './results/batch-results';
import { ResultPages } from './results/result-page.repository';

const LEASE = 10_000;

describe('the life of a batch', () => {
  let db: TestDatabase;
  let life: BatchLife;

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    life = await BatchLife.on(db.pool);
  });
  afterEach(async () => {
    expect((await life.tick()).violations).toBe(0);
  });

  describe('cancelling', () => {
    it('drops waiting chunks at once, lets the chunk in progress finish, and ends with it', async () => {
      const batch = await life.accepted(35);
      await life.commit(await life.claim(batch.id, 0));
      const working = await life.claim(batch.id, 1);
      expect((await life.pipeline.batches.cancel(life.apiKeyId, batch.id))?.state).toBe('cancelling');
      expect(await life.states(batch.id)).toEqual(['done', 'leased', 'cancelled', 'cancelled']);
      expect(await life.pipeline.chunks.claim({ batchId: batch.id, seq: 2 }, LEASE)).toBeNull();
      expect(await life.commit(working)).toBe(true);
      await life.tick();
      expect(await life.current(batch.id)).toMatchObject({ state: 'cancelled', counts: { ok: 20 }, chunksDone: 2 });
    });

    it('is done at once if no worker processes the batch', async () => {
      const batch = await life.accepted(35);
      const cancelled = await life.pipeline.batches.cancel(life.apiKeyId, batch.id);
      expect(cancelled).toMatchObject({ state: 'cancelled' });
      expect(cancelled?.finishedAt).not.toBeNull();
      expect((await life.tick()).enqueued).toBe(0);
    });

    it('is finished by the reconciler if the worker or the process that handles the request crashes', async () => {
      const batch = await life.accepted(35);
      await life.claim(batch.id, 0);
      await db.pool.query(`update batch set state = 'cancelling'`); // and the process crashes
      expect(await life.tick()).toMatchObject({ chunksCancelled: 3, batchesFinished: 0 });
      await db.pool.query(`update chunk set lease_until = now() - interval '1 s'`);
      expect(await life.tick()).toMatchObject({ leasesExpired: 1, chunksCancelled: 1, batchesFinished: 1 });
      expect((await life.current(batch.id))?.state).toBe('cancelled');
    });

    it('ends as cancelled with the last chunk, too, and does not change an ended batch', async () => {
      const batch = await life.accepted(10);
      const last = await life.claim(batch.id, 0);
      await life.pipeline.batches.cancel(life.apiKeyId, batch.id);
      await life.commit(last);
      expect((await life.current(batch.id))?.state).toBe('cancelled');
      const other = await life.accepted(10);
      await life.commit(await life.claim(other.id, 0));
      expect((await life.pipeline.batches.cancel(life.apiKeyId, other.id))?.state).toBe('completed');
    });

    it('keeps finished rows in order', async () => {
      const batch = await life.accepted(35);
      await life.commit(await life.claim(batch.id, 2));
      await life.commit(await life.claim(batch.id, 0));
      const cancelled = await life.pipeline.batches.cancel(life.apiKeyId, batch.id);
      const text = await textOf(await life.pipeline.results.stream(cancelled ?? batch, { format: 'ndjson' }));
      expect(text.trim().split('\n')).toHaveLength(20);
    });
  });

  describe('erasing', () => {
    it('deletes all rows of a batch, and no worker can store new ones', async () => {
      const batch = await life.accepted(25);
      await life.commit(await life.claim(batch.id, 0));
      const working = await life.claim(batch.id, 1);
      expect(await life.pipeline.batches.delete(life.apiKeyId, batch.id)).toBe(true);
      expect(await life.commit(working)).toBe(false);
      expect(await life.current(batch.id)).toBeNull();
      expect(await life.rowsLeft()).toBe(0);
      expect(await life.pipeline.batches.delete(life.apiKeyId, batch.id)).toBe(false);
    });

    it('works although waiting addresses are locked', async () => {
      const batch = await life.accepted(10);
      const ask = db.pool.query.bind(db.pool) as (...args: unknown[]) => unknown;
      const query = jest.spyOn(db.pool, 'query').mockImplementation((...args: unknown[]) => {
        if (String(args[0]).includes('delete from location_wait')) return Promise.reject(new Error('busy'));
        return ask(...args);
      });
      expect(await life.pipeline.batches.delete(life.apiKeyId, batch.id)).toBe(true);
      query.mockRestore();
      expect(await life.current(batch.id)).toBeNull();
    });

    it('waits for a simultaneous commit', async () => {
      for (let round = 0; round < 10; round++) {
        const batch = await life.accepted(10);
        const chunk = await life.claim(batch.id, 0);
        await Promise.all([life.commit(chunk), life.pipeline.batches.delete(life.apiKeyId, batch.id)]);
        expect(await life.rowsLeft()).toBe(0);
      }
    });

    it('deletes the rows of a batch after its retention, and keeps its counters', async () => {
      const batch = await life.accepted(10);
      await life.commit(await life.claim(batch.id, 0));
      const { batches } = life.pipeline;
      expect(await batches.expire()).toBe(0);
      await db.pool.query(`update batch set expires_at = now() - interval '1 s'`);
      expect([await batches.expire(), await batches.expire()]).toEqual([1, 0]);
      const expired = await life.current(batch.id);
      expect(expired).toMatchObject({ state: 'expired', rowsTotal: 10, counts: { ok: 10 } });
      expect(await life.rowsLeft()).toBe(0);
      await expect(life.pipeline.results.stream(expired ?? batch, { format: 'csv' })).rejects.toThrow(
        ResultsNotReadyError,
      );
    });

    it('deletes results in slices, and those that a crash has left', async () => {
      const batch = await life.accepted(10);
      await life.commit(await life.claim(batch.id, 0));
      await db.pool.query(
        `insert into result (batch_id, row_no, outcome) select $1, n, 0 from generate_series(11, 45000) n`,
        [batch.id],
      );
      await db.pool.query(`update batch set expires_at = now() - interval '1 s'`);
      const { batches } = life.pipeline;
      const ask = db.pool.query.bind(db.pool) as (sql: string, values: unknown[]) => unknown;
      const statements: string[] = [];
      const dies = new AbortController();
      const query = jest.spyOn(db.pool, 'query').mockImplementation((sql: string, values: unknown[]) => {
        statements.push(sql);
        if (sql.startsWith('delete from result')) dies.abort();
        return ask(sql, values);
      });
      expect(await batches.expire(1, dies.signal)).toBe(1);
      query.mockRestore();
      expect(statements.filter((sql) => sql.startsWith('delete from result'))).toHaveLength(1);
      expect([(await life.current(batch.id))?.state, await life.rowsLeft()]).toEqual(['expired', 25_000]);
      await batches.deleteLeftovers();
      expect(await life.rowsLeft()).toBe(0);
    });

    it('frees the idempotency key, so that the same request creates a new batch', async () => {
      const { intake, batches } = life.pipeline;
      const send = () =>
        intake.accept(
          { apiKeyId: life.apiKeyId, type: 'age_gender', format: 'json', releaseId: 'sample.1', idempotencyKey: 'k1' },
          [{ name: 'Mary', date: '2016-03-01' }],
        );
      const { batch } = await send();
      await life.commit(await life.claim(batch.id, 0));
      expect(await send()).toMatchObject({ replayed: true, batch: { id: batch.id } });
      await db.pool.query(`update batch set expires_at = now() - interval '1 s'`);
      expect(await batches.expire()).toBe(1);
      const again = await send();
      expect(again.replayed).toBe(false);
      expect(again.batch.id).not.toBe(batch.id);
    });

    it('aborts a running download instead of ending it early', async () => {
      const batch = await life.accepted(125);
      for (let seq = 0; seq < 13; seq++) await life.commit(await life.claim(batch.id, seq));
      const pages = new ResultPages(db.pool).read(batch);
      await pages.next();
      await life.pipeline.batches.delete(life.apiKeyId, batch.id);
      const toTheEnd = async (): Promise<void> => {
        while (!(await pages.next()).done);
      };
      await expect(toTheEnd()).rejects.toThrow('erased while they were read');
    });
  });

  describe('another client', () => {
    it('cannot see, cancel or erase it', async () => {
      const batch = await life.accepted(10);
      const other = await newApiKey(db.pool);
      expect(await life.pipeline.batches.get(other, batch.id)).toBeNull();
      expect(await life.pipeline.batches.cancel(other, batch.id)).toBeNull();
      expect(await life.pipeline.batches.delete(other, batch.id)).toBe(false);
      expect((await life.pipeline.batches.list(other, { limit: 10 })).batches).toEqual([]);
      expect(await life.current(batch.id)).toMatchObject({ state: 'accepted' });
      expect(await life.states(batch.id)).toEqual(['pending']);
    });
  });

  it('lists batches newest first, page by page, each once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift((await life.accepted(1)).id);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<BatchLife['pipeline']['batches']['list']>> = await life.pipeline.batches.list(
        life.apiKeyId,
        {
          limit: 3,
          after,
        },
      );
      seen.push(...page.batches.map(({ id }) => id));
      after = page.next;
    } while (after);
    expect(seen).toEqual(ids);
    expect(await life.pipeline.batches.get(life.apiKeyId, 'no-uuid')).toBeNull();
  });
});
