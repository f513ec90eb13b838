import { type ChunkRepository, type ClaimedChunk } from '@donorlens/batches';
import { createLogger } from '@donorlens/observability';
import { type ReleaseHolder } from '@donorlens/reference-data';
import { EnrichChunkProcessor, ReadWriteLock } from './enrich-chunk.processor';
import { AddressKeys } from '@donorlens/locations';
import { type WorkCounter } from '@donorlens/operations';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type ChunkRows, type ChunkRowsStore } from './chunk-rows.store';
import { JobRecorder } from './job-recorder';
import { type RowByRowRetry } from './row-by-row-retry';

const BATCH = '0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10';

describe('a chunk that waits for an isolated chunk', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  const spec = { batchId: BATCH, type: 'ethnicity', format: 'json', columns: null, mapping: {}, minAge: null } as const;
  const chunkOf = (seq: number, attempts: number): ClaimedChunk => ({
    ...{ batchId: BATCH, seq, leaseId: 'l', firstRow: 1, rows: 1, attempts, poisonRows: [], releaseId: 'r' },
    spec: { ...spec, firstRow: 1, rows: 1, importSpec: null },
    input: Buffer.from('{"surname":"Smith","year":2016}\n'),
  });

  /** Chunk 0 is isolated and runs until the test ends it; chunk 1 waits for its lock. */
  async function twoChunks(isStillOurs: boolean) {
    const release = await sampleTables();
    const calls: string[] = [];
    const chunks = {
      claim: ({ seq }) => Promise.resolve(chunkOf(seq, seq === 0 ? 4 : 1)),
      extendLease: ({ seq }) => Promise.resolve((calls.push(`extend ${seq}`), isStillOurs)),
      commit: ({ seq }) => Promise.resolve(calls.push(`commit ${seq}`) > 0),
      releaseLease: ({ seq }) => Promise.resolve(void calls.push(`release ${seq}`)),
    } as Partial<ChunkRepository<ChunkRows>> as ChunkRepository<ChunkRows>;
    let endIsolated = (): void => undefined;
    const rowByRow = {
      run: () => new Promise<null>((go) => (endIsolated = () => go(null))),
    } as unknown as RowByRowRetry;
    const releases = { get: () => Promise.resolve(release) } as Partial<ReleaseHolder> as ReleaseHolder;
    const store = {
      prepare: (enriched, of) =>
        Promise.resolve({ counts: enriched.counts, enriched, knownOutcomes: new Map(), release: of }),
    } as Partial<ChunkRowsStore> as ChunkRowsStore;
    const logger = createLogger('test', 'silent');
    const processor = new EnrichChunkProcessor(
      chunks,
      releases,
      rowByRow,
      store,
      new AddressKeys({ secret: 'secret of the tests', benchmark: 'b', vintage: 'v' }),
      new JobRecorder({ jobDone: () => undefined } as Partial<WorkCounter> as WorkCounter, logger),
      logger,
    );
    const process = (seq: number) =>
      processor.process({ data: { batchId: BATCH, seq } } as Parameters<typeof processor.process>[0]);
    const isolated = process(0);
    await settled();
    const behind = process(1);
    await settled();
    return { calls, isolated, behind, endIsolated: () => endIsolated() };
  }
  const settled = () => new Promise((go) => setImmediate(go));

  it('extends its lease while it waits, and is processed afterward', async () => {
    const { calls, isolated, behind, endIsolated } = await twoChunks(true);
    await jest.advanceTimersByTimeAsync(7_000);
    expect(calls).toEqual(['extend 1', 'extend 1']);
    endIsolated();
    expect(await isolated).toBeNull();
    expect(await behind).toMatchObject({ ok: 1 });
    expect(calls.filter((call) => call.endsWith('1'))).toEqual(['extend 1', 'extend 1', 'extend 1', 'commit 1']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is not processed if its lease was lost meanwhile', async () => {
    const { calls, behind, endIsolated } = await twoChunks(false);
    await jest.advanceTimersByTimeAsync(6_000);
    endIsolated();
    expect(await behind).toBeNull();
    expect(calls).not.toContain('commit 1');
  });

  it('sends no SQL statement to extend its lease if it did not have to wait', async () => {
    const { calls, behind, endIsolated } = await twoChunks(true);
    endIsolated();
    await behind;
    expect(calls).not.toContain('extend 1');
  });
});

describe('a job that throws', () => {
  const failuresOf = async (error: Error): Promise<readonly string[]> => {
    const failed: string[] = [];
    const counter = { jobFailed: (queue: string) => void failed.push(queue) } as Partial<WorkCounter> as WorkCounter;
    const job = { name: 'j', data: { callId: '1' }, attemptsStarted: 1, processedOn: 1, timestamp: 1 };
    const of = new JobRecorder(counter, createLogger('test', 'silent')).run(
      'enrich',
      job,
      () => Promise.reject(error),
      () => ({}),
    );
    await expect(of).rejects.toBe(error);
    return failed;
  };

  it('counts as failed, unless the database is unavailable and the queue retries the job', async () => {
    expect(await failuresOf(new Error('no such column'))).toEqual(['enrich']);
    expect(await failuresOf(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toEqual([]);
    expect(await failuresOf(Object.assign(new Error('shutting down'), { code: '57P01' }))).toEqual([]);
  });
});

describe('the read-write lock', () => {
  const pause = () => new Promise((resolve) => setImmediate(resolve));

  it('runs shared work concurrently and exclusive work alone, in order of arrival', async () => {
    const lock = new ReadWriteLock();
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`+${name}`);
      await pause();
      seen.push(`-${name}`);
    };
    await Promise.all([
      lock.withSharedLock(work('a')),
      lock.withSharedLock(work('b')),
      lock.withExclusiveLock(work('exclusive')),
      lock.withSharedLock(work('c')),
    ]);
    expect(seen).toEqual(['+a', '+b', '-a', '-b', '+exclusive', '-exclusive', '+c', '-c']);
  });

  it('is released after work that failed', async () => {
    const lock = new ReadWriteLock();
    await expect(lock.withExclusiveLock(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(lock.withExclusiveLock(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
