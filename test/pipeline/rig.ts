import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { type Config, ConfigModule, readConfig } from '@donorlens/config';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { CallProducer, CallQueueModule, QueueProducer, QueuesModule, migrateQueue } from '@donorlens/queues';
import { ReleaseRepository, openRelease } from '@donorlens/reference-data';
import { type TestDatabase, hasTestRedis, testDatabase, testRedisUrl, until } from '../support';
import { newApiKey, pipelineOn } from '../support/pipeline';
import { sampleBinary } from '../support/sample-tables';

export type Backend = 'redis' | 'postgres';
export const BACKENDS: readonly Backend[] = hasTestRedis() ? ['redis', 'postgres'] : ['postgres'];

/** Rows in a chunk. */
export const CHUNK_ROWS = 50;

/** A database, a queue and the reconciler in this process; what a worker in another one needs is its environment. */
export class Rig {
  readonly pipeline: ReturnType<typeof pipelineOn>;
  readonly queue: QueueProducer;
  readonly calls: CallProducer;
  private ticking: NodeJS.Timeout | undefined;
  private isTicking = false;

  private constructor(
    readonly db: TestDatabase,
    private readonly backend: Backend,
    readonly environment: Record<string, string>,
    readonly config: Config,
    private readonly app: INestApplicationContext,
    readonly apiKeyId: string,
    readonly releaseId: string,
  ) {
    this.pipeline = pipelineOn(db.pool, { chunkRows: CHUNK_ROWS });
    this.queue = app.get(QueueProducer);
    this.calls = app.get(CallProducer);
  }

  static async on(backend: Backend, more: Record<string, string> = {}): Promise<Rig> {
    const db = await testDatabase();
    const home = mkdtempSync(join(tmpdir(), 'donorlens-pipeline-'));
    const environment: Record<string, string> = {
      DATABASE_URL: db.url,
      QUEUE_BACKEND: backend,
      DONORLENS_HOME: home,
      ADDRESS_SECRET: 'made up for tests',
      GEOCODER_URL: 'http://127.0.0.1:9', // nobody listens; nothing here goes to the real one
      ...more,
    };
    if (backend === 'redis') environment.REDIS_URL = testRedisUrl();
    const config = readConfig(environment);
    await migrateQueue(config);
    const modules = [QueuesModule, CallQueueModule];
    const imports = [ConfigModule.with(config), ObservabilityModule.with(createLogger('test', 'silent')), ...modules];
    const app = await (await Test.createTestingModule({ imports }).compile()).init();
    const apiKeyId = await newApiKey(db.pool);
    const rig = new Rig(db, backend, environment, config, app, apiKeyId, await activateSample(db));
    await rig.forgetJobs();
    await until('the queue answers', async () => (await rig.queue.room()) > 0 && (await rig.calls.room()) > 0);
    return rig;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.db.close();
    rmSync(this.config.home, { recursive: true });
  }

  /** The reconciler, as the aggregator has it run. */
  startTicking(): void {
    this.ticking = setInterval(() => void this.tick(), 200);
  }

  async stopTicking(): Promise<void> {
    clearInterval(this.ticking);
    await until('the last tick', () => !this.isTicking);
  }

  /** What a FLUSHALL or a lost disk does. */
  async forgetJobs(): Promise<void> {
    if (this.backend === 'postgres') await this.db.pool.query('truncate bullmq.job cascade');
    else await new Redis(testRedisUrl()).pipeline().flushdb().quit().exec();
  }

  /** A dead worker's leases and locks end by themselves after some seconds; tests cut this wait short. */
  async loseTheDead(): Promise<void> {
    for (const table of ['chunk', 'geocode_call'])
      await this.db.pool.query(`update ${table} set lease_until = now() - interval '1 second' where state = 'leased'`);
    await this.forgetJobs();
  }

  /** @returns the id of a batch of contributions with this header and these lines */
  async accept(header: string, lines: readonly string[]): Promise<string> {
    const { batch } = await this.pipeline.intake.accept(
      { apiKeyId: this.apiKeyId, type: 'contributions', format: 'csv', releaseId: this.releaseId },
      Readable.from([Buffer.from(`${header}\n${lines.map((line) => `${line}\n`).join('')}`)]),
      new AbortController().signal,
    );
    return batch.id;
  }

  async completed(id: string): Promise<void> {
    const state = async () => (await this.pipeline.batches.get(this.apiKeyId, id))?.state;
    await until('completed', async () => (await state()) === 'completed', 150_000);
  }

  private async tick(): Promise<void> {
    if (this.isTicking) return;
    this.isTicking = true;
    const { violations } = await this.pipeline.reconciler.tick(this.queue).finally(() => (this.isTicking = false));
    expect(violations).toBe(0);
  }
}

async function activateSample({ pool }: TestDatabase): Promise<string> {
  const binary = await sampleBinary();
  const release = openRelease(binary);
  const releases = new ReleaseRepository(pool);
  await releases.store(release, binary);
  await releases.activate(release.id);
  return release.id;
}
