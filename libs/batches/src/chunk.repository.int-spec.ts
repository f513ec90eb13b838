import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { faultyPool } from '../../../test/support/pipeline/faulty-pool';
import { TEST_STORE, newApiKey, pipelineOn, uniformLines } from '../../../test/support/pipeline/pipeline';
import { type Batch } from './batch';
import { ChunkRepository } from './chunk.repository';
import { type ClaimedChunk } from './chunk';
import { storeResults } from './results/result.store';

const LEASE = 10_000;

describe('chunks', () => {
  let db: TestDatabase;
  let apiKeyId: string;
  let pipeline: ReturnType<typeof pipelineOn>;

  beforeAll(async () => {
    db = await testDatabase();
    pipeline = pipelineOn(db.pool);
    apiKeyId = await newApiKey(db.pool);
  });
  afterAll(() => db.close());

  const accepted = async (rows: number): Promise<Batch> => {
    const queries = Array.from({ length: rows }, (_, i) => ({ name: `Name${i}`, date: '2016-03-01' }));
    const request = { apiKeyId, type: 'age_gender', format: 'json', releaseId: 'sample.1' } as const;
    return (await pipeline.intake.accept(request, queries)).batch;
  };
  const claimed = async (batchId: string, seq = 0, leaseMs = LEASE): Promise<ClaimedChunk> => {
    const chunk = await pipeline.chunks.claim({ batchId, seq }, leaseMs);
    if (!chunk) throw new Error('the chunk is not free');
    return chunk;
  };
  const commit = (chunk: ClaimedChunk, outcome?: Parameters<typeof uniformLines>[1]): Promise<boolean> => {
    const { copy, counts } = uniformLines(chunk, outcome);
    return pipeline.chunks.commit(chunk, { store: (client) => storeResults(client, copy), counts });
  };
  const current = async (id: string): Promise<Batch> => {
    const batch = await pipeline.batches.get(apiKeyId, id);
    if (!batch) throw new Error('gone');
    return batch;
  };
  const results = async (batchId: string): Promise<number> => {
    const { rows } = await db.pool.query<{ n: number }>('select count(*)::int as n from result where batch_id = $1', [
      batchId,
    ]);
    return rows[0].n;
  };
  const chunkRow = async ({ batchId, seq }: { batchId: string; seq: number }): Promise<Record<string, unknown>> => {
    const { rows } = await db.pool.query('select * from chunk where batch_id = $1 and seq = $2', [batchId, seq]);
    return rows[0] as Record<string, unknown>;
  };
  const forgetLease = (chunk: ClaimedChunk) =>
    db.pool.query(`update chunk set lease_until = now() - interval '1 s' where batch_id = $1 and seq = $2`, [
      chunk.batchId,
      chunk.seq,
    ]);

  it('have all that a worker needs, and start their batch', async () => {
    const batch = await accepted(25);
    const chunk = await claimed(batch.id, 2);
    expect(chunk).toMatchObject({
      batchId: batch.id,
      seq: 2,
      firstRow: 21,
      rows: 5,
      attempts: 1,
      poisonRows: [],
      releaseId: 'sample.1',
      spec: {
        type: 'age_gender',
        format: 'json',
        columns: ['name', 'date'],
        mapping: {},
        minAge: null,
        firstRow: 21,
        rows: 5,
      },
    });
    expect(chunk.input.toString().split('\n')[0]).toBe('{"name":"Name20","date":"2016-03-01"}');
    expect(await current(batch.id)).toMatchObject({ state: 'running', chunksDone: 0 });
  });

  it('are claimed by one of two workers', async () => {
    const batch = await accepted(10);
    const claims = await Promise.all([1, 2, 3].map(() => pipeline.chunks.claim({ batchId: batch.id, seq: 0 }, LEASE)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('are stored, counted and erased in one step, the last one completing its batch', async () => {
    const batch = await accepted(25);
    const [first, second, third] = [await claimed(batch.id, 0), await claimed(batch.id, 1), await claimed(batch.id, 2)];
    expect(await commit(second, 'not_found')).toBe(true);
    expect(await current(batch.id)).toMatchObject({
      state: 'running',
      chunksDone: 1,
      counts: { not_found: 10, ok: 0 },
    });
    expect(await commit(first)).toBe(true);
    expect(await commit(third, 'invalid')).toBe(true);
    const done = await current(batch.id);
    expect(done).toMatchObject({
      state: 'completed',
      chunksDone: 3,
      counts: { ok: 10, not_found: 10, invalid: 5, partial: 0, failed: 0 },
    });
    const kept = (done.expiresAt?.getTime() ?? 0) - (done.finishedAt?.getTime() ?? 0);
    expect(kept).toBe(168 * 3_600_000);
    expect(await results(batch.id)).toBe(25);
    expect(await chunkRow(first)).toMatchObject({ state: 'done', input: null });
  });

  it('are counted once if the first worker commits after it lost its lease', async () => {
    const batch = await accepted(10);
    const late = await claimed(batch.id);
    await forgetLease(late);
    const next = await claimed(batch.id);
    expect(next.attempts).toBe(2);
    expect(await commit(late)).toBe(false);
    expect(await commit(next)).toBe(true);
    expect(await commit(next)).toBe(false);
    expect([await results(batch.id), (await current(batch.id)).counts.ok]).toEqual([10, 10]);
  });

  it('are counted once if two workers commit at the same time', async () => {
    const batch = await accepted(10);
    const chunk = await claimed(batch.id);
    expect((await Promise.all([commit(chunk), commit(chunk), commit(chunk)])).filter(Boolean)).toHaveLength(1);
    expect(await results(batch.id)).toBe(10);
  });

  it('stay with their worker after the lease has expired, until another worker claims them', async () => {
    const batch = await accepted(10);
    const chunk = await claimed(batch.id);
    await forgetLease(chunk);
    expect(await commit(chunk)).toBe(true);
  });

  it('store nothing if the commit fails', async () => {
    const batch = await accepted(10);
    const chunk = await claimed(batch.id);
    const { counts } = uniformLines(chunk);
    await expect(
      pipeline.chunks.commit(chunk, { store: (client) => storeResults(client, Buffer.from('no such line\n')), counts }),
    ).rejects.toThrow();
    expect(await results(batch.id)).toBe(0);
    expect(await chunkRow(chunk)).toMatchObject({ state: 'leased' });
    expect(await current(batch.id)).toMatchObject({ chunksDone: 0, counts: { ok: 0 } });
    expect(await commit(chunk)).toBe(true);
  });

  it('are not stored with counts that do not include all rows', async () => {
    const chunk = await claimed((await accepted(10)).id);
    const { copy, counts } = uniformLines(chunk);
    await expect(
      pipeline.chunks.commit(chunk, { store: (client) => storeResults(client, copy), counts: { ...counts, ok: 9 } }),
    ).rejects.toMatchObject({
      code: 'tally_mismatch',
    });
  });

  it.each([
    ['the compare-and-set', /update chunk/],
    ['the counters', /update batch/],
    ['the commit', /^commit/],
  ])('store nothing if the connection dies before %s, and are done by the next attempt', async (_, statement) => {
    const batch = await accepted(10);
    const chunk = await claimed(batch.id);
    const dying = faultyPool(db.pool, (sql, proceed, pid) => {
      if (!statement.test(sql)) return proceed();
      return db.pool.query('select pg_terminate_backend($1)', [pid]).then(proceed);
    });
    const { copy, counts } = uniformLines(chunk);
    await expect(
      new ChunkRepository(dying, TEST_STORE).commit(chunk, { store: (client) => storeResults(client, copy), counts }),
    ).rejects.toThrow();
    expect(await results(batch.id)).toBe(0);
    expect(await current(batch.id)).toMatchObject({ state: 'running', chunksDone: 0 });
    await forgetLease(chunk);
    expect(await commit(await claimed(batch.id))).toBe(true);
    expect([await results(batch.id), (await current(batch.id)).state]).toEqual([10, 'completed']);
  });

  it('are recognized as done if the answer of the commit was lost', async () => {
    const chunk = await claimed((await accepted(10)).id);
    const deaf = faultyPool(db.pool, (sql, proceed) => {
      if (sql !== 'commit') return proceed();
      return Promise.resolve(proceed()).then(() => Promise.reject(new Error('the connection was lost')));
    });
    const { copy, counts } = uniformLines(chunk);
    expect(
      await new ChunkRepository(deaf, TEST_STORE).commit(chunk, {
        store: (client) => storeResults(client, copy),
        counts,
      }),
    ).toBe(true);
    expect(await results(chunk.batchId)).toBe(10);
  });

  it('keep their lease while they are processed, until it is lost', async () => {
    const chunk = await claimed((await accepted(10)).id, 0, 1000);
    expect(await pipeline.chunks.extendLease(chunk, LEASE)).toBe(true);
    await forgetLease(chunk);
    const next = await claimed(chunk.batchId);
    expect(await pipeline.chunks.extendLease(chunk, LEASE)).toBe(false);
    expect(await pipeline.chunks.extendLease(next, LEASE)).toBe(true);
  });

  it('are released without counting an attempt, and wait until they are due', async () => {
    const chunk = await claimed((await accepted(10)).id);
    await pipeline.chunks.releaseLease(chunk);
    const again = await claimed(chunk.batchId);
    expect(again.attempts).toBe(1);
    await pipeline.chunks.deferRetry(again, 60_000, false);
    expect(await pipeline.chunks.claim(again, LEASE)).toBeNull();
    await pipeline.chunks.releaseLease(chunk); // not its holder any more: nothing happens
    expect(await chunkRow(chunk)).toMatchObject({ state: 'pending', runs: 0 });
  });

  it('are deferred by the clock of the database, and count an attempt only if the fault is theirs', async () => {
    const chunk = await claimed((await accepted(10)).id);
    await pipeline.chunks.markCurrentRow(chunk, 3, LEASE);
    await pipeline.chunks.deferRetry(chunk, 60_000, false);
    expect(await pipeline.chunks.claim(chunk, LEASE)).toBeNull();
    const { rows } = await db.pool.query<{ waits: number }>(
      `select extract(epoch from not_before - now())::float8 as waits from chunk where batch_id = $1`,
      [chunk.batchId],
    );
    expect(rows[0].waits).toBeGreaterThan(50);
    expect(rows[0].waits).toBeLessThanOrEqual(60);
    expect(await chunkRow(chunk)).toMatchObject({ state: 'pending', runs: 0, suspect_row: null });
    await db.pool.query('update chunk set not_before = null where batch_id = $1', [chunk.batchId]);
    const again = await claimed(chunk.batchId);
    await pipeline.chunks.deferRetry(again, 0, true);
    await pipeline.chunks.deferRetry(chunk, 0, false); // not its holder any more: nothing happens
    expect(await chunkRow(again)).toMatchObject({ state: 'pending', runs: 1 });
  });

  it('mark a row as poison at the second crash, as the first one may have another cause', async () => {
    const batchId = (await accepted(10)).id;
    for (const row of [3, 7, 7, 3, 9]) {
      const chunk = await claimed(batchId);
      expect(await pipeline.chunks.markCurrentRow(chunk, row, LEASE)).toBe(true);
      await forgetLease(chunk); // the process died
    }
    const sixth = await claimed(batchId);
    expect([sixth.poisonRows, sixth.attempts]).toEqual([[7, 3], 6]);
    expect(await chunkRow(sixth)).toMatchObject({ suspected_rows: [3, 7, 9] });
    await pipeline.chunks.markCurrentRow(sixth, 9, LEASE);
    await pipeline.chunks.markCurrentRow(sixth, 0, LEASE);
    await forgetLease(sixth); // died between two rows
    const seventh = await claimed(batchId);
    await pipeline.chunks.markCurrentRow(seventh, 9, LEASE);
    await pipeline.chunks.releaseLease(seventh); // shut down, not died
    expect((await claimed(batchId)).poisonRows).toEqual([7, 3]);
  });

  it('fail their batch if their input cannot be inflated', async () => {
    const batch = await accepted(25);
    await db.pool.query(`update chunk set input = '\\xff00' where batch_id = $1 and seq = 1`, [batch.id]);
    expect(await pipeline.chunks.claim({ batchId: batch.id, seq: 1 }, LEASE)).toBeNull();
    expect(await current(batch.id)).toMatchObject({ state: 'failed', errorCode: 'unreadable_input' });
    expect(await pipeline.chunks.claim({ batchId: batch.id, seq: 0 }, LEASE)).toBeNull();
  });

  it('cannot be claimed if chunk or batch do not exist', async () => {
    const batch = await accepted(10);
    expect(await pipeline.chunks.claim({ batchId: batch.id, seq: 9 }, LEASE)).toBeNull();
    expect(await pipeline.chunks.claim({ batchId: apiKeyId, seq: 0 }, LEASE)).toBeNull();
  });
});
