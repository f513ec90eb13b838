import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { ConfigModule, readConfig } from '@donorlens/config';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { QueueProducer, QueuesModule, migrateQueue } from '@donorlens/queues';
import { ReleaseRepository, SAMPLE_FOLDER, compileFolder, openRelease } from '@donorlens/reference-data';
import { type TestDatabase, hasTestRedis, testDatabase, testRedisUrl, until } from '../support';
import { newApiKey, pipelineOn } from '../support/pipeline';
import { Workers } from './workers';

const CHUNK_ROWS = 50;
const backends = hasTestRedis() ? (['redis', 'postgres'] as const) : (['postgres'] as const);

/** The reconciler runs in this process, the workers are real ones in processes of their own. */
describe.each(backends)('batches with the queue on %s', (backend) => {
  let db: TestDatabase;
  let app: INestApplicationContext;
  let queue: QueueProducer;
  let pipeline: ReturnType<typeof pipelineOn>;
  let apiKeyId: string;
  let releaseId: string;
  let environment: Record<string, string>;
  let workers: Workers;
  let ticking: NodeJS.Timeout;
  let isTicking = false;

  beforeAll(async () => {
    db = await testDatabase();
    const home = mkdtempSync(join(tmpdir(), 'donorlens-pipeline-'));
    environment = { DATABASE_URL: db.url, QUEUE_BACKEND: backend, DONORLENS_HOME: home };
    if (backend === 'redis') environment.REDIS_URL = testRedisUrl();
    const config = readConfig(environment);
    await migrateQueue(config);
    await forgetJobs();
    releaseId = await activateSample();
    pipeline = pipelineOn(db.pool, { chunkRows: CHUNK_ROWS });
    apiKeyId = await newApiKey(db.pool);
    const imports = [ConfigModule.with(config), ObservabilityModule.with(createLogger('test', 'silent')), QueuesModule];
    app = await (await Test.createTestingModule({ imports }).compile()).init();
    queue = app.get(QueueProducer);
    await until('the queue answers', async () => (await queue.room()) > 0);
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await db.close();
  });
  beforeEach(() => {
    workers = new Workers(environment, loseTheDead);
    ticking = setInterval(() => void tick(), 200);
  });
  afterEach(async () => {
    clearInterval(ticking);
    await until('the last tick', () => !isTicking);
    await workers.stop();
  }, 60_000);

  async function activateSample(): Promise<string> {
    const binary = await compileFolder(SAMPLE_FOLDER, { steps: false });
    const release = openRelease(binary);
    const releases = new ReleaseRepository(db.pool);
    await releases.store(release, binary);
    await releases.activate(release.id);
    return release.id;
  }

  async function tick(): Promise<void> {
    if (isTicking) return;
    isTicking = true;
    const { violations } = await pipeline.reconciler.tick(queue).finally(() => (isTicking = false));
    expect(violations).toBe(0);
  }

  /** What a FLUSHALL or a lost disk does. */
  async function forgetJobs(): Promise<void> {
    if (backend === 'postgres') await db.pool.query('truncate bullmq.job cascade');
    else await new Redis(testRedisUrl()).pipeline().flushdb().quit().exec();
  }

  /** A dead worker's lease and lock end by themselves after 15 s; tests cut this wait short. */
  async function loseTheDead(): Promise<void> {
    await db.pool.query(`update chunk set lease_until = now() - interval '1 second' where state = 'leased'`);
    await forgetJobs();
  }

  async function accept(rows: number, nameOf: (row: number) => string = () => 'MARY'): Promise<string> {
    const lines = Array.from({ length: rows }, (_, i) => `${nameOf(i + 1)},SMITH,2020-01-01\n`);
    const { batch } = await pipeline.intake.accept(
      { apiKeyId, type: 'contributions', format: 'csv', releaseId },
      Readable.from([Buffer.from(`first_name,last_name,date\n${lines.join('')}`)]),
      new AbortController().signal,
    );
    return batch.id;
  }

  const completed = (id: string) =>
    until('completed', async () => (await pipeline.batches.get(apiKeyId, id))?.state === 'completed', 80_000);

  async function rowsOf(id: string): Promise<{ rows: number; least: number; most: number }> {
    const { rows } = await db.pool.query<{ rows: number; least: number; most: number }>(
      `select count(*)::int as rows, min(row_no) as least, max(row_no) as most from result where batch_id = $1`,
      [id],
    );
    return rows[0];
  }

  it('are enriched by two worker processes, every row once', async () => {
    workers.start();
    workers.start();
    const id = await accept(10_000);
    await completed(id);
    expect(await rowsOf(id)).toEqual({ rows: 10_000, least: 1, most: 10_000 });
    expect(workers.deaths).toBe(0);
    await until('an empty queue', async () => (await queue.held()) === 0);
  }, 90_000);

  it('complete although the queue forgot every job', async () => {
    const id = await accept(2_000);
    await until('all jobs', async () => (await queue.waiting()) === 40);
    await forgetJobs();
    expect(await queue.waiting()).toBe(0);
    workers.start();
    await completed(id); // lost jobs are added again after 15 s
    expect(await rowsOf(id)).toEqual({ rows: 2_000, least: 1, most: 2_000 });
  }, 90_000);

  it('complete although a worker was killed at work', async () => {
    const victim = workers.start();
    const id = await accept(20_000);
    await until('some rows', async () => (await rowsOf(id)).rows > 0, 30_000);
    victim.kill('SIGKILL');
    await until('a death', () => workers.deaths === 1);
    expect((await rowsOf(id)).rows).toBeLessThan(20_000);
    await completed(id);
    expect(await rowsOf(id)).toEqual({ rows: 20_000, least: 1, most: 20_000 });
  }, 120_000);

  it('complete although two rows of one chunk kill the process: three crashes, and two for each row', async () => {
    const id = await accept(200, (row) => (row === 60 || row === 90 ? 'DEADLY' : 'MARY'));
    workers.start();
    await completed(id);
    const { rows } = await db.pool.query<{ row_no: number; error_code: string }>(
      `select row_no, error_code from result where batch_id = $1 and error_code is not null order by row_no`,
      [id],
    );
    expect(rows).toEqual([
      { row_no: 60, error_code: 'poison' },
      { row_no: 90, error_code: 'poison' },
    ]);
    expect(await rowsOf(id)).toEqual({ rows: 200, least: 1, most: 200 });
    expect(workers.deaths).toBe(7);
    expect(await pipeline.batches.get(apiKeyId, id)).toMatchObject({ tally: { failed: 2 } });
  }, 120_000);

  it('fail as a whole where a chunk does not hold what it says, and are not tried for ever', async () => {
    const id = await accept(175); // the last chunk holds 25
    await db.pool.query(
      `update chunk set input = (select input from chunk where batch_id = $1 order by seq desc limit 1)
       where batch_id = $1 and rows = 50`,
      [id],
    );
    workers.start();
    await until('failed', async () => (await pipeline.batches.get(apiKeyId, id))?.state === 'failed', 30_000);
    const { rows } = await db.pool.query(`select 1 from chunk where batch_id = $1 and state in ('pending', 'queued')`, [
      id,
    ]);
    expect(rows).toEqual([]);
    expect(workers.deaths).toBe(0);
  }, 60_000);

  const failed = async (id: string): Promise<string | null | undefined> => {
    await until('failed', async () => (await pipeline.batches.get(apiKeyId, id))?.state === 'failed', 30_000);
    return (await pipeline.batches.get(apiKeyId, id))?.errorCode;
  };

  it('fail as a whole where their data release is gone', async () => {
    const id = await accept(100);
    await db.pool.query(`update batch set data_release = 'gone' where id = $1`, [id]);
    workers.start();
    expect(await failed(id)).toBe('release_unknown');
    expect(workers.deaths).toBe(0);
  }, 60_000);

  it('fail as a whole where the database refuses a chunk ten times, and leave others alone', async () => {
    const id = await accept(100);
    await db.pool.query(`update chunk set runs = 8 where batch_id = $1 and seq = 1`, [id]);
    await db.pool.query(`alter table result add constraint refused check (batch_id <> '${id}' or row_no <> 60)`);
    workers.start();
    const other = await accept(100);
    await completed(other);
    await until('a counted run', async () => {
      const { rows } = await db.pool.query<{ runs: number; waits: boolean }>(
        `select runs, state = 'pending' and not_before > now() + interval '50 s' as waits
         from chunk where batch_id = $1 and seq = 1`,
        [id],
      );
      return rows[0].runs === 9 && rows[0].waits;
    });
    await db.pool.query(`update chunk set not_before = null where batch_id = $1`, [id]);
    expect(await failed(id)).toBe('chunk_failed');
    await db.pool.query('alter table result drop constraint refused');
    expect(workers.deaths).toBe(0);
  }, 90_000);
});
