import { ChunkBuilder, ChunkRepository, type ClaimedChunk, ImportBatches, ResultStore } from '@donorlens/batches';
import { ContributionSnapshot, ContributionStore } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';
import { type ImportSpec } from '@donorlens/primitives';
import { type Release, type ReleaseHolder } from '@donorlens/reference-data';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { faultyPool } from '../../../test/support/pipeline/faulty-pool';
import { bulkRecord, filedSpec } from '../../../test/support/fec-data/filed-records';
import { TEST_STORE, knownRelease } from '../../../test/support/pipeline/pipeline';
import { ChunkRowsStore } from './chunk-rows.store';
import { EnrichChunkProcessor } from './enrich-chunk.processor';
import { JobRecorder } from './job-recorder';
import { WorkCounter } from '@donorlens/operations';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { RowByRowRetry } from './row-by-row-retry';

const keys = new AddressKeys({ secret: 'secret of the tests', benchmark: 'b', vintage: 'v' });
type Job = Parameters<EnrichChunkProcessor['process']>[0];

describe('chunks of an import', () => {
  const ids = Array.from({ length: 10 }, (_, i) => String(4_000_001 + i));
  let db: TestDatabase;
  let release: Release;

  beforeAll(async () => {
    db = await testDatabase();
    release = await sampleTables();
    await knownRelease(db.pool, release.id);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate fec_import, fec_reject cascade');
    await inTransaction(db.pool, (client) => new ContributionSnapshot(2016).create(client, release.id));
  });

  const processor = (pool = db.pool): EnrichChunkProcessor => {
    const releases = { get: () => Promise.resolve(release) } as Partial<ReleaseHolder> as ReleaseHolder;
    const logger = createLogger('test', 'silent');
    const locations = new LocationRepository(pool, keys);
    const store = new ChunkRowsStore(locations, new ResultStore(locations), new ContributionStore(locations));
    const chunks = new ChunkRepository(pool, store);
    const recorder = new JobRecorder(new WorkCounter(pool, logger), logger);
    return new EnrichChunkProcessor(chunks, releases, new RowByRowRetry(chunks, keys), store, keys, recorder, logger);
  };
  const jobOf = (batchId: string, seq: number): Job => ({ data: { batchId, seq } }) as Job;
  /** Two chunks of five rows. */
  async function accepted(): Promise<{ batchId: string; filed: ImportSpec }> {
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into fec_import (kind, cycle, label, source, epoch)
       values ('contributions', 2016, 'sample', 'synthetic', 1) returning id`,
    );
    const filed = filedSpec({ importId: rows[0].id });
    const builder = new ChunkBuilder(5);
    for (const SUB_ID of ids) {
      const record = Buffer.from(bulkRecord({ SUB_ID }));
      builder.add(record, 0, record.length);
    }
    const chunks = [await builder.take()!, await builder.take()!];
    const batches = new ImportBatches(db.pool);
    const batchId = await inTransaction(db.pool, (client) =>
      batches.insert(client, { importSpec: filed, releaseId: release.id, chunks }),
    );
    return { batchId, filed };
  }
  const stored = async (): Promise<{ row_id: string; gender: string | null; version: string }[]> =>
    (
      await db.pool.query<{ row_id: string; gender: string | null; version: string }>(
        'select row_id, gender, ctid || xmin::text as version from contribution_2016_next order by row_id',
      )
    ).rows;
  const batch = async (batchId: string): Promise<unknown> =>
    (await db.pool.query('select state, ok_rows, failed_rows, chunks_done from batch where id = $1', [batchId]))
      .rows[0];
  /** The state of a chunk whose process has crashed. */
  const died = (batchId: string, more = '') =>
    db.pool.query(`update chunk set lease_until = now() - interval '1 s' ${more} where batch_id = $1 and seq = 0`, [
      batchId,
    ]);

  it('carry the specification of their import, and become rows of the snapshot', async () => {
    const { batchId, filed } = await accepted();
    const chunk = (await new ChunkRepository(db.pool, TEST_STORE).claim({ batchId, seq: 0 }, 10_000)) as ClaimedChunk;
    expect(chunk.spec).toMatchObject({ format: 'fec', columns: null, importSpec: filed });
    await new ChunkRepository(db.pool, TEST_STORE).releaseLease(chunk);
    expect(await processor().process(jobOf(batchId, 1))).toMatchObject({ ok: 5 });
    expect(await processor().process(jobOf(batchId, 0))).toMatchObject({ ok: 5 });
    expect((await stored()).map((row) => [row.row_id, row.gender])).toEqual(ids.map((id) => [id, 'f']));
    expect(await batch(batchId)).toEqual({ state: 'completed', ok_rows: 10, failed_rows: 0, chunks_done: 2 });
  });

  it('change nothing when they are run a second time', async () => {
    const { batchId } = await accepted();
    await processor().process(jobOf(batchId, 0));
    const before = await stored();
    expect(await processor().process(jobOf(batchId, 0))).toBeNull();
    expect(await stored()).toEqual(before);
  });

  it('store nothing if the connection is lost before the commit, and can be processed again', async () => {
    const { batchId } = await accepted();
    const dying = faultyPool(db.pool, (sql, proceed, pid) =>
      sql.includes('update batch') ? db.pool.query('select pg_terminate_backend($1)', [pid]).then(proceed) : proceed(),
    );
    await expect(processor(dying).process(jobOf(batchId, 0))).rejects.toThrow();
    expect(await stored()).toEqual([]);
    await db.pool.query('update chunk set not_before = null where batch_id = $1', [batchId]);
    expect(await processor().process(jobOf(batchId, 0))).toMatchObject({ ok: 5 });
    expect(await stored()).toHaveLength(5);
  });

  it('are retried row by row after three crashes, and the poison row is stored without gender', async () => {
    const { batchId } = await accepted();
    const chunks = new ChunkRepository(db.pool, TEST_STORE);
    for (let run = 0; run < 3; run++) {
      await chunks.claim({ batchId, seq: 0 }, 10_000);
      await died(batchId);
    }
    for (let death = 0; death < 2; death++) {
      await chunks.claim({ batchId, seq: 0 }, 10_000);
      await died(batchId, ', suspect_row = 3');
    }
    expect(await processor().process(jobOf(batchId, 0))).toMatchObject({ ok: 4, failed: 1 });
    expect((await stored()).map(({ gender }) => gender)).toEqual(['f', 'f', null, 'f', 'f']);
  });
});
