import { type TestDatabase, testDatabase } from '../../../test/support';
import { newApiKey, pipelineOn, textOf, uniformLines } from '../../../test/support/pipeline';
import { type Batch } from './batch';
import { type ClaimedChunk } from './claimed-chunk';
import { ResultsNotReadyError } from './results/batch-results';
import { ResultPages } from './results/result-pages';

const LEASE = 60_000;

describe('the life of a batch', () => {
  let db: TestDatabase;
  let apiKeyId: string;
  let pipeline: ReturnType<typeof pipelineOn>;

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate batch, chunk, result, key_usage, api_key cascade');
    pipeline = pipelineOn(db.pool);
    apiKeyId = await newApiKey(db.pool);
  });
  afterEach(async () => {
    expect((await pipeline.reconciler.tick(pipeline.queue)).violations).toBe(0);
  });

  const accepted = async (rows: number, owner = apiKeyId): Promise<Batch> => {
    const queries = Array.from({ length: rows }, (_, i) => ({ name: `Name${i}`, date: '2016-03-01' }));
    const request = { apiKeyId: owner, type: 'age_gender', format: 'json', releaseId: 'sample.1' } as const;
    return (await pipeline.intake.accept(request, queries)).batch;
  };
  const claim = async (batchId: string, seq: number): Promise<ClaimedChunk> => {
    const chunk = await pipeline.chunks.claim({ batchId, seq }, LEASE);
    if (!chunk) throw new Error('nobody else should have it');
    return chunk;
  };
  const commit = (chunk: ClaimedChunk): Promise<boolean> => {
    const { copy, tally } = uniformLines(chunk);
    return pipeline.chunks.commit(chunk, copy, tally);
  };
  const current = async (id: string): Promise<Batch | null> => pipeline.batches.get(apiKeyId, id);
  const states = async (batchId: string): Promise<string[]> => {
    const { rows } = await db.pool.query<{ state: string }>(
      'select state from chunk where batch_id = $1 order by seq',
      [batchId],
    );
    return rows.map(({ state }) => state);
  };
  const tick = () => pipeline.reconciler.tick(pipeline.queue);
  /** A worker that takes all there is. */
  const drain = async (): Promise<void> => {
    for (let ref = pipeline.queue.take(); ref; ref = pipeline.queue.take()) {
      const chunk = await pipeline.chunks.claim(ref, LEASE);
      if (chunk) await commit(chunk);
    }
  };

  describe('the reconciler', () => {
    it('adds jobs for chunks that have none, once', async () => {
      const batch = await accepted(25);
      expect((await tick()).enqueued).toBe(3);
      expect(await states(batch.id)).toEqual(['queued', 'queued', 'queued']);
      expect((await tick()).enqueued).toBe(0);
      await drain();
      expect(await current(batch.id)).toMatchObject({ state: 'completed', chunksDone: 3 });
    });

    it('adds no more jobs than the queue has room for, and serves a small batch beside a large one', async () => {
      pipeline = { ...pipeline, queue: Object.assign(pipeline.queue, { room: () => Promise.resolve(3) }) };
      const large = await accepted(100);
      const small = await accepted(10);
      await tick();
      expect([...pipeline.queue.jobs.keys()]).toEqual([`${large.id}.0`, `${small.id}.0`, `${large.id}.1`]);
    });

    it('goes on where the queue is away, and adds the jobs when it is back', async () => {
      await accepted(25);
      pipeline.queue.away = true;
      expect(await tick()).toMatchObject({ enqueued: 0, violations: 0 });
      pipeline.queue.away = false;
      expect((await tick()).enqueued).toBe(3);
    });

    it('adds the jobs again that the queue has lost', async () => {
      const batch = await accepted(25);
      await tick();
      pipeline.queue.jobs.clear();
      expect((await tick()).enqueued).toBe(0); // they may just be waiting
      await db.pool.query(`update chunk set enqueued_at = now() - interval '16 s' where batch_id = $1`, [batch.id]);
      expect((await tick()).enqueued).toBe(3);
      await drain();
      expect((await current(batch.id))?.state).toBe('completed');
    });

    it('frees the chunks of workers that are gone', async () => {
      const batch = await accepted(10);
      const chunk = await claim(batch.id, 0);
      await db.pool.query(`update chunk set lease_until = now() - interval '1 s'`);
      expect(await tick()).toMatchObject({ leasesExpired: 1, enqueued: 1 });
      expect(await commit(chunk)).toBe(false);
      await drain();
      expect(await current(batch.id)).toMatchObject({ state: 'completed', tally: { ok: 10 } });
    });

    it('waits with a chunk until its time has come', async () => {
      const batch = await accepted(10);
      await pipeline.chunks.giveBack(await claim(batch.id, 0), new Date(Date.now() + 60_000));
      expect((await tick()).enqueued).toBe(0);
      await db.pool.query('update chunk set not_before = now()');
      expect((await tick()).enqueued).toBe(1);
    });

    it('completes a batch whose last commit did not', async () => {
      const batch = await accepted(10);
      await commit(await claim(batch.id, 0));
      await db.pool.query(`update batch set state = 'running', finished_at = null`);
      expect((await tick()).batchesFinished).toBe(1);
      expect((await current(batch.id))?.state).toBe('completed');
    });

    it('sees counters that do not agree with the chunks', async () => {
      const batch = await accepted(25);
      await commit(await claim(batch.id, 0));
      for (const [broken, mended] of [
        ['ok_rows = ok_rows + 1', 'ok_rows = ok_rows - 1'],
        ['chunks_done = chunks_done + 1', 'chunks_done = chunks_done - 1'],
        ['rows_total = rows_total + 1', 'rows_total = rows_total - 1'],
      ]) {
        await db.pool.query(`update batch set ${broken} where id = $1`, [batch.id]);
        expect((await tick()).violations).toBe(1);
        await db.pool.query(`update batch set ${mended} where id = $1`, [batch.id]);
      }
    });

    it('may run in two processes at a time', async () => {
      const batch = await accepted(95);
      await Promise.all([tick(), tick(), tick()]);
      expect(pipeline.queue.jobs.size).toBe(10);
      await drain();
      expect(await current(batch.id)).toMatchObject({ state: 'completed', tally: { ok: 95 } });
    });
  });

  describe('cancelling', () => {
    it('drops what waits at once, lets the one at work finish, and ends with it', async () => {
      const batch = await accepted(35);
      await commit(await claim(batch.id, 0));
      const working = await claim(batch.id, 1);
      expect((await pipeline.batches.cancel(apiKeyId, batch.id))?.state).toBe('cancelling');
      expect(await states(batch.id)).toEqual(['done', 'leased', 'cancelled', 'cancelled']);
      expect(await pipeline.chunks.claim({ batchId: batch.id, seq: 2 }, LEASE)).toBeNull();
      expect(await commit(working)).toBe(true);
      await tick();
      expect(await current(batch.id)).toMatchObject({ state: 'cancelled', tally: { ok: 20 }, chunksDone: 2 });
    });

    it('is done at once where nobody works on the batch', async () => {
      const batch = await accepted(35);
      const cancelled = await pipeline.batches.cancel(apiKeyId, batch.id);
      expect(cancelled).toMatchObject({ state: 'cancelled' });
      expect(cancelled?.finishedAt).not.toBeNull();
      expect((await tick()).enqueued).toBe(0);
    });

    it('is finished by the reconciler where its worker dies, or the process that was asked', async () => {
      const batch = await accepted(35);
      await claim(batch.id, 0);
      await db.pool.query(`update batch set state = 'cancelling'`); // and the process dies
      expect(await tick()).toMatchObject({ chunksCancelled: 3, batchesFinished: 0 });
      await db.pool.query(`update chunk set lease_until = now() - interval '1 s'`);
      expect(await tick()).toMatchObject({ leasesExpired: 1, chunksCancelled: 1, batchesFinished: 1 });
      expect((await current(batch.id))?.state).toBe('cancelled');
    });

    it('ends as cancelled also with the very last chunk, and leaves an ended batch as it is', async () => {
      const batch = await accepted(10);
      const last = await claim(batch.id, 0);
      await pipeline.batches.cancel(apiKeyId, batch.id);
      await commit(last);
      expect((await current(batch.id))?.state).toBe('cancelled');
      const other = await accepted(10);
      await commit(await claim(other.id, 0));
      expect((await pipeline.batches.cancel(apiKeyId, other.id))?.state).toBe('completed');
    });

    it('keeps the rows that were done, in order', async () => {
      const batch = await accepted(35);
      await commit(await claim(batch.id, 2));
      await commit(await claim(batch.id, 0));
      const cancelled = await pipeline.batches.cancel(apiKeyId, batch.id);
      const text = await textOf(pipeline.results.stream(cancelled ?? batch, { format: 'ndjson' }));
      expect(text.trim().split('\n')).toHaveLength(20);
    });
  });

  describe('erasing', () => {
    const rowsLeft = async (): Promise<number> => {
      const { rows } = await db.pool.query<{ n: number }>(
        'select ((select count(*) from chunk) + (select count(*) from result))::int as n',
      );
      return rows[0].n;
    };

    it('leaves nothing of a batch, nor lets a worker bring it back', async () => {
      const batch = await accepted(25);
      await commit(await claim(batch.id, 0));
      const working = await claim(batch.id, 1);
      expect(await pipeline.batches.delete(apiKeyId, batch.id)).toBe(true);
      expect(await commit(working)).toBe(false);
      expect(await current(batch.id)).toBeNull();
      expect(await rowsLeft()).toBe(0);
      expect(await pipeline.batches.delete(apiKeyId, batch.id)).toBe(false);
    });

    it('waits for a commit at the same moment', async () => {
      for (let round = 0; round < 10; round++) {
        const batch = await accepted(10);
        const chunk = await claim(batch.id, 0);
        await Promise.all([commit(chunk), pipeline.batches.delete(apiKeyId, batch.id)]);
        expect(await rowsLeft()).toBe(0);
      }
    });

    it('takes the rows of a batch after its retention, and keeps its counters', async () => {
      const batch = await accepted(10);
      await commit(await claim(batch.id, 0));
      expect((await tick()).batchesExpired).toBe(0);
      await db.pool.query(`update batch set expires_at = now() - interval '1 s'`);
      expect((await tick()).batchesExpired).toBe(1);
      const expired = await current(batch.id);
      expect(expired).toMatchObject({ state: 'expired', rowsTotal: 10, tally: { ok: 10 } });
      expect(await rowsLeft()).toBe(0);
      expect(() => pipeline.results.stream(expired ?? batch, { format: 'csv' })).toThrow(ResultsNotReadyError);
    });

    it('breaks a stream off rather than end it early', async () => {
      const batch = await accepted(125);
      for (let seq = 0; seq < 13; seq++) await commit(await claim(batch.id, seq));
      const pages = new ResultPages(db.pool).read(batch.id);
      await pages.next();
      await pipeline.batches.delete(apiKeyId, batch.id);
      const toTheEnd = async (): Promise<void> => {
        while (!(await pages.next()).done);
      };
      await expect(toTheEnd()).rejects.toThrow('erased while they were read');
    });
  });

  describe('another client', () => {
    it('sees, cancels and erases nothing of it', async () => {
      const batch = await accepted(10);
      const other = await newApiKey(db.pool);
      expect(await pipeline.batches.get(other, batch.id)).toBeNull();
      expect(await pipeline.batches.cancel(other, batch.id)).toBeNull();
      expect(await pipeline.batches.delete(other, batch.id)).toBe(false);
      expect((await pipeline.batches.list(other, { limit: 10 })).batches).toEqual([]);
      expect(await current(batch.id)).toMatchObject({ state: 'accepted' });
      expect(await states(batch.id)).toEqual(['pending']);
    });
  });

  it('lists batches newest first, page by page, each once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift((await accepted(1)).id);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof pipeline.batches.list>> = await pipeline.batches.list(apiKeyId, {
        limit: 3,
        after,
      });
      seen.push(...page.batches.map(({ id }) => id));
      after = page.next;
    } while (after);
    expect(seen).toEqual(ids);
    expect(await pipeline.batches.get(apiKeyId, 'no-uuid')).toBeNull();
  });
});
