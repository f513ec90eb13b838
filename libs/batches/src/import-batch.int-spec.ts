import { type ImportSpec, emptyCounts } from '@donorlens/primitives';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { BatchLife } from '../../../test/support/pipeline/batch-life';
import { inTransaction } from '@donorlens/database';
import { type BuiltChunk } from './chunk.store';
import { ChunkBuilder } from './intake/chunk-builder';
import { ImportBatches } from './import-batch.repository';

describe('batches of an import', () => {
  let db: TestDatabase;
  let life: BatchLife;
  let batches: ImportBatches;
  let importSpec: ImportSpec;

  beforeAll(async () => {
    db = await testDatabase();
    batches = new ImportBatches(db.pool);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate fec_import cascade');
    life = await BatchLife.on(db.pool);
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into fec_import (kind, cycle, label, source, epoch) values ('contributions', 2016, 'folder', 'x', 1)
       returning id`,
    );
    importSpec = { importId: rows[0].id, fileCycle: 2016, kind: 'contributions', fileNum: null };
  });
  afterEach(async () => {
    expect((await life.tick()).violations).toBe(0);
  });

  const chunksOf = async (rows: number): Promise<BuiltChunk[]> => {
    const builder = new ChunkBuilder(10);
    for (let i = 0; i < rows; i++) builder.add(Buffer.from(`row ${i}`), 0, 5);
    builder.finish();
    const chunks: BuiltChunk[] = [];
    for (let next = builder.take(); next; next = builder.take()) chunks.push(await next);
    return chunks;
  };
  const insert = async (rows: number, releaseId = 'sample.1'): Promise<string> => {
    const chunks = await chunksOf(rows);
    return inTransaction(db.pool, (client) => batches.insert(client, { importSpec, releaseId, chunks }));
  };
  const close = (): Promise<void> => inTransaction(db.pool, (client) => batches.close(client, importSpec.importId));
  const finish = async (batchId: string, seq: number): Promise<boolean> => {
    const chunk = await life.claim(batchId, seq);
    return life.pipeline.chunks.commit(chunk, {
      store: () => Promise.resolve(),
      counts: { ...emptyCounts(), ok: chunk.rows },
    });
  };
  const left = async (): Promise<number> =>
    (
      await db.pool.query<{ n: number }>(
        `select ((select count(*) from batch) + (select count(*) from chunk))::int as n`,
      )
    ).rows[0].n;

  it('are processed by the same reconciler and workers as those of clients', async () => {
    const client = await life.accepted(10);
    const [first, second] = [await insert(25), await insert(5)];
    expect((await life.tick()).enqueued).toBe(1 + 3 + 1);
    expect(await batches.progress(importSpec.importId)).toEqual({
      chunksTotal: 4,
      chunksDone: 0,
      rowsDone: 0,
      errorCode: null,
    });
    expect((await life.claim(first, 1)).spec).toMatchObject({ format: 'fec', columns: null, importSpec });
    for (const seq of [0, 2]) await finish(first, seq);
    await finish(second, 0);
    expect(await batches.progress(importSpec.importId)).toMatchObject({ chunksDone: 3, rowsDone: 20 });
    expect((await life.current(client.id))?.state).toBe('accepted');
  });

  it('have no owner: no client sees, counts, cancels or deletes them', async () => {
    const id = await insert(10);
    const { batches: clients } = life.pipeline;
    expect(await clients.get(life.apiKeyId, id)).toBeNull();
    expect((await clients.list(life.apiKeyId, { limit: 10 })).batches).toEqual([]);
    expect(await clients.cancel(life.apiKeyId, id)).toBeNull();
    expect(await clients.delete(life.apiKeyId, id)).toBe(false);
    expect(await finish(id, 0)).toBe(true);
    expect((await db.pool.query('select from key_usage')).rowCount).toBe(0);
  });

  it('stay while their import runs, and a day longer', async () => {
    const id = await insert(10);
    await finish(id, 0);
    await db.pool.query(
      `update batch set created_at = now() - interval '9 days', finished_at = now() - interval '8 days'`,
    );
    expect(await life.pipeline.batches.expire()).toBe(0);
    await close();
    expect(await life.pipeline.batches.expire()).toBe(0);
    await db.pool.query(`update batch set expires_at = now() - interval '1 s'`);
    expect(await life.pipeline.batches.expire()).toBe(1);
    expect(await left()).toBe(0);
    await life.pipeline.batches.deleteLeftovers();
  });

  it('are closed with their import, and their open chunks are cancelled', async () => {
    const id = await insert(30);
    await finish(id, 0);
    const held = await life.claim(id, 1);
    await close();
    await close();
    expect(await life.states(id)).toEqual(['done', 'cancelled', 'cancelled']);
    expect(
      await life.pipeline.chunks.commit(held, {
        store: () => Promise.reject(new Error('written')),
        counts: { ...emptyCounts(), ok: 10 },
      }),
    ).toBe(false);
    expect(await batches.progress(importSpec.importId)).toMatchObject({ rowsDone: 10, errorCode: 'cancelled' });
    expect((await db.pool.query('select from chunk where input is not null')).rowCount).toBe(0);
  });

  it('record why one of them failed', async () => {
    const id = await insert(10);
    await life.pipeline.chunks.failBatch(id, 'chunk_failed');
    expect((await batches.progress(importSpec.importId)).errorCode).toBe('chunk_failed');
  });

  it('are not written for a deleted release', async () => {
    await expect(insert(10, 'gone')).rejects.toMatchObject({ code: 'release_gone' });
    expect(await left()).toBe(0);
  });

  it('are deleted with their import', async () => {
    await insert(10);
    await db.pool.query('delete from fec_import');
    expect(await left()).toBe(0);
  });
});
