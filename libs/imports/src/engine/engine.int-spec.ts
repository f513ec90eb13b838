import { type Pool } from 'pg';
import { type ClaimedChunk } from '@donorlens/batches';
import { StaleFenceError } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { emptyCounts } from '@donorlens/primitives';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { faultyPool } from '../../../../test/support/pipeline/faulty-pool';
import { knownRelease, pipelineOn } from '../../../../test/support/pipeline/pipeline';
import { ChunkWriter, type ChunkWriterOptions, MAX_CHUNKS_OPEN } from './chunk-writer';
import { ImportLease } from './import-lease';
import { ImportRepository } from './import.repository';
import { type NewImport, type StoredImport } from './stored-import';

const logger = createLogger('test', 'silent');
const FILE: NewImport = {
  kind: 'contributions',
  cycle: 2016,
  label: 'folder',
  source: 'x.zip',
  sha256: 'aa'.repeat(32),
};
const LEASE_MS = 10_000;

describe('an import', () => {
  let db: TestDatabase;
  let imports: ImportRepository;
  let pipeline: ReturnType<typeof pipelineOn>;
  let lease: ImportLease;

  beforeAll(async () => {
    db = await testDatabase();
    imports = new ImportRepository(db.pool);
    pipeline = pipelineOn(db.pool);
    await knownRelease(db.pool, 'sample.1');
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate fec_import, batch, chunk, lease cascade');
    lease = await ImportLease.take(db.pool, logger);
  });
  afterEach(() => lease.release());

  const begin = (by = lease, repository = imports): Promise<StoredImport> =>
    repository.begin(by.fence, FILE, () => true);
  const writerFor = (
    { id }: StoredImport,
    { pool = db.pool, by = lease, ...options }: Partial<ChunkWriterOptions> & { pool?: Pool; by?: ImportLease } = {},
  ): ChunkWriter =>
    new ChunkWriter({
      pool,
      fence: by.fence,
      importSpec: { importId: id, fileCycle: 2016, kind: 'contributions', fileNum: null },
      releases: () => Promise.resolve('sample.1'),
      chunkRows: 2,
      ...options,
    });
  /** A reader of so many lines, three to a checkpoint, of which every third cannot be read. */
  const readOn = async (stored: StoredImport, lines: number, pool = db.pool): Promise<void> => {
    const writer = writerFor(stored, { pool });
    for (let line = stored.linesRead + 1; line <= lines; line++) {
      if (line % 3 === 0) writer.reject(line, 'bad_amount', `line ${line}`);
      else writer.add(Buffer.from(`line ${line}`));
      if (line % 3 === 0 || line === lines)
        await writer.checkpoint({ bytesRead: line * 10, prefixSha256: null, linesRead: line });
    }
  };
  const refs = async (): Promise<{ batchId: string; seq: number }[]> =>
    (
      await db.pool.query<{ batchId: string; seq: number }>(
        `select batch_id as "batchId", seq from chunk where state in ('pending', 'queued') order by batch_id, seq`,
      )
    ).rows;
  const claim = async (): Promise<ClaimedChunk[]> => {
    const chunks = (await refs()).map((ref) => pipeline.chunks.claim(ref, LEASE_MS));
    return (await Promise.all(chunks)).filter((chunk) => chunk !== null);
  };
  const finish = (chunk: ClaimedChunk): Promise<boolean> =>
    pipeline.chunks.commit(chunk, { store: () => Promise.resolve(), counts: { ...emptyCounts(), ok: chunk.rows } });
  const linesIn = (chunks: readonly ClaimedChunk[]): number[] =>
    chunks.flatMap(({ input }) => (input.toString().match(/\d+/g) ?? []).map(Number)).sort((a, b) => a - b);
  const importRow = async (): Promise<StoredImport> => (await imports.list())[0];

  it('passes its records to workers, stores unreadable lines, and records its position', async () => {
    const stored = await begin();
    await readOn(stored, 8);
    const chunks = await claim();
    expect(linesIn(chunks)).toEqual([1, 2, 4, 5, 7, 8]);
    expect(chunks[0]).toMatchObject({
      releaseId: 'sample.1',
      spec: {
        format: 'fec',
        columns: null,
        importSpec: { importId: stored.id, kind: 'contributions', fileCycle: 2016 },
      },
    });
    expect(await importRow()).toMatchObject({ state: 'loading', bytesRead: 80, linesRead: 8, kept: 6, rejected: 2 });
    const rejects = [];
    for await (const reject of imports.rejects(stored.id)) rejects.push(reject);
    expect(rejects).toEqual([3, 6].map((line) => ({ line, code: 'bad_amount', record: `line ${line}` })));
  });

  it('neither loses nor repeats a row, whichever statement the process ends at', async () => {
    const LINES = 12;
    /** Ends the process before or after so many statements in transactions. @returns whether the process was ended */
    const crash = async (after: number, isDone: boolean): Promise<boolean> => {
      let statements = 0;
      let ended = false;
      const end = (sql = ''): Promise<never> => {
        ended = true;
        const fault = new Error('the process has ended');
        if (sql.startsWith('copy')) throw fault; // a COPY is no promise
        return Promise.reject(fault);
      };
      const dying = faultyPool(db.pool, (sql, proceed) => {
        if (ended || (!isDone && statements === after)) return end(sql);
        if (++statements <= after || !isDone || sql.startsWith('copy')) return proceed();
        return Promise.resolve(proceed()).then(() => end());
      });
      await begin(lease, new ImportRepository(dying))
        .then((stored) => readOn(stored, LINES, dying))
        .catch(() => undefined);
      return ended;
    };
    let crashes = 0;
    for (const isDone of [false, true])
      for (let after = 0; ; after++) {
        await db.pool.query('truncate fec_import, batch, chunk cascade');
        if (!(await crash(after, isDone))) break;
        crashes++;
        await until('the connection is gone', async () => {
          const { rows } = await db.pool.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
          );
          return rows[0].n === 0;
        });
        await readOn(await begin(), LINES);
        expect(linesIn(await claim())).toEqual([1, 2, 4, 5, 7, 8, 10, 11]);
        const { rows } = await db.pool.query<{ line: string }>('select line from fec_reject order by line');
        expect(rows.map(({ line }) => Number(line))).toEqual([3, 6, 9, 12]);
        expect(await importRow()).toMatchObject({ linesRead: LINES, kept: 8, rejected: 4 });
      }
    expect(crashes).toBeGreaterThan(50);
  });

  it('runs one at a time, and the next one can start at its end', async () => {
    await expect(ImportLease.take(db.pool, logger)).rejects.toMatchObject({ code: 'import_busy' });
    expect(await ImportLease.isHeld(db.pool)).toBe(true);
    const next = ImportLease.take(db.pool, logger, { waitMs: 20_000 });
    await lease.release();
    await (await next).release();
    expect(await ImportLease.isHeld(db.pool)).toBe(false);
  });

  describe('that another process has taken over', () => {
    let next: ImportLease;
    let stored: StoredImport;
    let writer: ChunkWriter;
    beforeEach(async () => {
      stored = await begin();
      writer = writerFor(stored);
      writer.add(Buffer.from('late'));
      await db.pool.query(`update lease set expires_at = now() - interval '1 s'`); // as after 15 s without a renewal
      next = await ImportLease.take(db.pool, logger);
    });
    afterEach(() => next.release());

    const position = { bytesRead: 5, prefixSha256: null, linesRead: 1 };

    it('cannot write any more', async () => {
      await expect(writer.checkpoint(position)).rejects.toThrow(StaleFenceError);
      await expect(imports.fail(lease.fence, stored.id, 'late')).rejects.toThrow(StaleFenceError);
      await expect(imports.finish(lease.fence, stored.id, () => Promise.resolve({}))).rejects.toThrow(StaleFenceError);
      await expect(begin(lease)).rejects.toThrow(StaleFenceError);
      expect(await refs()).toEqual([]);
      expect(await importRow()).toMatchObject({ state: 'loading', linesRead: 0 });
    });

    it('cannot write after the next process has resumed the import', async () => {
      await begin(next);
      await expect(writer.checkpoint(position)).rejects.toThrow(StaleFenceError);
      await expect(imports.fail(lease.fence, stored.id, 'late')).rejects.toThrow(StaleFenceError);
      expect(await importRow()).toMatchObject({ state: 'loading', linesRead: 0 });
    });

    it('rolls back its last transaction if it was taken over during it', async () => {
      await db.pool.query('update lease set epoch = $1', [String(lease.fence.epoch)]);
      const late = imports.finish(lease.fence, stored.id, async (client) => {
        await client.query(`insert into fec_reject values ($1, 1, 'x', 'x')`, [stored.id]);
        await db.pool.query('update lease set epoch = epoch + 1');
        return {};
      });
      await expect(late).rejects.toThrow(StaleFenceError);
      expect((await db.pool.query('select from fec_reject')).rowCount).toBe(0);
      expect(await importRow()).toMatchObject({ state: 'loading' });
    });

    it('is resumed by the next process', async () => {
      expect((await begin(next)).id).toBe(stored.id);
      const after = writerFor(stored, { by: next });
      after.add(Buffer.from('in time'));
      await after.checkpoint(position);
      expect(await importRow()).toMatchObject({ linesRead: 1, kept: 1 });
    });
  });

  it('limits the waiting chunks, and reports that no worker takes them', async () => {
    const seen: boolean[] = [];
    const stored = await begin();
    const writer = writerFor(stored, {
      chunkRows: 1,
      stalledAfterMs: 10_000,
      onWait: ({ isStalled }) => seen.push(isStalled),
    });
    const add = async (rows: number, from: number): Promise<void> => {
      for (let i = 0; i < rows; i++) writer.add(Buffer.from(`line ${from + i}`));
      await writer.checkpoint({ bytesRead: from + rows, prefixSha256: null, linesRead: from + rows });
    };
    await add(MAX_CHUNKS_OPEN, 0);
    expect(await refs()).toHaveLength(MAX_CHUNKS_OPEN);
    seen.length = 0;
    const more = add(3, MAX_CHUNKS_OPEN);
    await until('it waits', () => seen.length > 0);
    expect(seen[0]).toBe(false);
    const clock = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => clock() + 10_000);
    await until('it says so', () => seen.includes(true));
    expect(await importRow()).toMatchObject({ linesRead: MAX_CHUNKS_OPEN });

    const chunks = await claim();
    for (const chunk of chunks.slice(0, 2)) await finish(chunk);
    await until('it sees that a worker runs', () => seen.at(-1) === false);
    later.mockRestore();
    expect(await refs()).toEqual([]);
    await finish(chunks[2]);
    await more;
    expect(await refs()).toHaveLength(3);
    for (const chunk of [...chunks.slice(3), ...(await claim())]) await finish(chunk);
    await writer.drain();
  });

  it('fails if a batch of its chunks has failed', async () => {
    const stored = await begin();
    const writer = writerFor(stored);
    writer.add(Buffer.from('x'));
    await writer.checkpoint({ bytesRead: 2, prefixSha256: null, linesRead: 1 });
    const drained = writer.drain();
    await pipeline.chunks.failBatch((await refs())[0].batchId, 'chunk_failed');
    await expect(drained).rejects.toMatchObject({ code: 'batch_failed', values: { reason: 'chunk_failed' } });
  });

  it('can be stopped while it waits', async () => {
    const stop = new AbortController();
    const stored = await begin();
    const writer = writerFor(stored, { signal: stop.signal, onWait: () => stop.abort(new Error('stopped')) });
    await readOn(stored, 2);
    await expect(writer.drain()).rejects.toThrow('stopped');
    expect(await importRow()).toMatchObject({ state: 'loading' });
  });

  it.each(['failed', 'abandoned'])(
    'that has %s leaves no chunks, and a worker that has one finds it deleted',
    async (how) => {
      const stored = await begin();
      await readOn(stored, 4);
      const [held] = await claim();
      if (how === 'failed') await imports.fail(lease.fence, stored.id, 'damaged_file');
      else await imports.begin(lease.fence, { ...FILE, sha256: 'bb'.repeat(32) }, () => true);
      expect(await finish(held)).toBe(false);
      expect(await refs()).toEqual([]);
      expect((await imports.list()).at(-1)).toMatchObject({ id: stored.id, state: how });
      expect((await pipeline.reconciler.tick(pipeline.queue)).violations).toBe(0);
    },
  );

  it('fails without a data release, or if its data release was removed', async () => {
    const stored = await begin();
    const writer = writerFor(stored, { releases: () => Promise.resolve(null) });
    writer.add(Buffer.from('x'));
    const position = { bytesRead: 2, prefixSha256: null, linesRead: 1 };
    await expect(writer.checkpoint(position)).rejects.toMatchObject({ code: 'no_release' });
    const another = writerFor(stored, { releases: () => Promise.resolve('removed') });
    another.add(Buffer.from('x'));
    await expect(another.checkpoint(position)).rejects.toMatchObject({ code: 'release_gone' });
    expect(await importRow()).toMatchObject({ state: 'loading', linesRead: 0 });
  });
});
