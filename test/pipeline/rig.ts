import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { type Config, ConfigModule, readConfig } from '@donorlens/config';
import { createPool } from '@donorlens/database';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { CallProducer, CallQueueModule, ChunkProducer, QueuesModule, migrateQueue } from '@donorlens/queues';
import { ReleaseRepository, openRelease } from '@donorlens/reference-data';
import {
  OwnRedisCluster,
  type TestDatabase,
  hasTestRedis,
  startPgbouncer,
  testDatabase,
  testRedisUrl,
} from '../support/servers';
import { until } from '../support/until';
import { newApiKey, pipelineOn } from '../support/pipeline/pipeline';
import { sampleBinary } from '../support/reference-data/sample-tables';
import { has } from '../support/tools';

/** With a Redis Cluster of three nodes, Postgres is behind PgBouncer in transaction mode, as in large installations. */
export type Backend = 'redis' | 'postgres' | 'redis cluster';
export const BACKENDS: readonly Backend[] = [
  ...(hasTestRedis() ? (['redis'] as const) : []),
  'postgres',
  ...(hasTestRedis() && (has('pgbouncer') || process.env.CI) ? (['redis cluster'] as const) : []),
];
/** Connections to Postgres for all processes: fewer than a single process opens without PgBouncer. */
const POOL_SIZE = 6;

/** Rows in a chunk. */
export const CHUNK_ROWS = 50;

/** A database, a queue and the reconciler in this process. `environment` configures workers in other processes. */
export class Rig {
  readonly pipeline: ReturnType<typeof pipelineOn>;
  readonly queue: ChunkProducer;
  readonly calls: CallProducer;
  private ticking: NodeJS.Timeout | undefined;
  private isTicking = false;

  private constructor(
    readonly db: TestDatabase,
    private readonly servers: Servers,
    readonly environment: Record<string, string>,
    readonly config: Config,
    private readonly app: INestApplicationContext,
    readonly apiKeyId: string,
    readonly releaseId: string,
  ) {
    this.pipeline = pipelineOn(db.pool, { chunkRows: CHUNK_ROWS });
    this.queue = app.get(ChunkProducer);
    this.calls = app.get(CallProducer);
  }

  static async on(backend: Backend, more: Record<string, string> = {}): Promise<Rig> {
    const home = mkdtempSync(join(tmpdir(), 'donorlens-pipeline-'));
    const servers = await serversOf(backend, home);
    const { db, redisUrl } = servers;
    const environment: Record<string, string> = {
      DATABASE_URL: db.url,
      QUEUE_BACKEND: redisUrl === undefined ? 'postgres' : 'redis',
      DONORLENS_HOME: home,
      ADDRESS_SECRET: 'secret of the tests',
      GEOCODER_URL: 'http://127.0.0.1:9', // a closed port: no request reaches the Census Bureau
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...more,
    };
    const config = readConfig(environment);
    await migrateQueue(config);
    const modules = [QueuesModule, CallQueueModule];
    const imports = [
      ConfigModule.forRoot(config),
      ObservabilityModule.forRoot(createLogger('test', 'silent')),
      ...modules,
    ];
    const app = await (await Test.createTestingModule({ imports }).compile()).init();
    const apiKeyId = await newApiKey(db.pool);
    const rig = new Rig(db, servers, environment, config, app, apiKeyId, await activateSample(db));
    await rig.forgetJobs();
    await until(
      'the queue answers',
      async () => (await rig.queue.remainingCapacity()) > 0 && (await rig.calls.remainingCapacity()) > 0,
    );
    return rig;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.servers.close();
    rmSync(this.config.home, { recursive: true });
  }

  /** Runs the reconciler periodically, like the aggregator. */
  startTicking(): void {
    this.ticking = setInterval(() => void this.tick(), 200);
  }

  async stopTicking(): Promise<void> {
    clearInterval(this.ticking);
    await until('the last tick', () => !this.isTicking);
  }

  /** Deletes all jobs, like a FLUSHALL or a lost disk. */
  forgetJobs(): Promise<unknown> {
    return this.servers.forgetJobs();
  }

  /** Expires the leases and jobs of a dead worker, which would otherwise expire after some seconds. */
  async expireLeasesOfDeadWorkers(): Promise<void> {
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
    await until('completed', async () => (await state()) === 'completed');
  }

  private async tick(): Promise<void> {
    if (this.isTicking) return;
    this.isTicking = true;
    const { violations } = await this.pipeline.reconciler.tick(this.queue).finally(() => (this.isTicking = false));
    expect(violations).toBe(0);
  }
}

/** The servers that the processes of a backend use. */
interface Servers {
  readonly db: TestDatabase;
  /** Undefined if the queue is in the database. */
  readonly redisUrl?: string;
  readonly forgetJobs: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function serversOf(backend: Backend, home: string): Promise<Servers> {
  const db = await testDatabase();
  const close = (): Promise<void> => db.close();
  if (backend === 'postgres') return { db, close, forgetJobs: () => db.pool.query('truncate bullmq.job cascade') };
  const flush = (url: string): Promise<unknown> => new Redis(url).pipeline().flushdb().quit().exec();
  if (backend === 'redis') {
    const redisUrl = testRedisUrl();
    return { db, redisUrl, close, forgetJobs: () => flush(redisUrl) };
  }
  chmodSync(home, 0o711);
  const cluster = await OwnRedisCluster.start();
  const pooler = await startPgbouncer({ home, postgresUrl: db.url, poolSize: POOL_SIZE }).catch(
    async (error: unknown) => {
      await Promise.all([cluster.end(), db.close()]);
      throw error;
    },
  );
  const pool = createPool(pooler.url, createLogger('test', 'silent'));
  return {
    db: { ...db, url: pooler.url, pool },
    redisUrl: cluster.url,
    forgetJobs: () => Promise.all(cluster.nodes.map(({ url }) => flush(url))),
    async close() {
      await pool.end();
      await Promise.all([pooler.stop(), cluster.end(), db.close()]);
    },
  };
}

async function activateSample({ pool }: TestDatabase): Promise<string> {
  const binary = await sampleBinary();
  const release = openRelease(binary);
  const releases = new ReleaseRepository(pool);
  await releases.store(release, binary);
  await releases.activate(release.id);
  return release.id;
}
