import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Job, Queue, Worker } from 'bullmq';
import { type Pool } from 'pg';
import { BatchIntake, ChunkRepository, IntakeRepository, ResultStore } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { createPool } from '@donorlens/database';
import { findRedisServer, startRedis } from '@donorlens/local-servers';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';
import { WorkCounter } from '@donorlens/operations';
import { type OutcomeCounts } from '@donorlens/primitives';
import { type ChunkRef, QUEUES, ChunkProducer, WORKER_OPTIONS } from '@donorlens/queues';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { ChunkRowsStore } from '../../../apps/worker/src/chunk-rows.store';
import { EnrichChunkProcessor } from '../../../apps/worker/src/enrich-chunk.processor';
import { JobRecorder } from '../../../apps/worker/src/job-recorder';
import { RowByRowRetry } from '../../../apps/worker/src/row-by-row-retry';
import { Installation } from '../../../test/support/installation';
import { alternate, reportStep } from '../measure';

type EnrichJob = Job<ChunkRef, OutcomeCounts | null, 'enrich-chunk'>;

/** Milliseconds of each round, by rows of a chunk. */
export interface QueueTimes {
  readonly chunkRows: number;
  readonly without: readonly number[];
  readonly with: readonly number[];
}

interface Wanted {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly file: string;
  readonly release: Release;
  readonly rounds: number;
}

/** The default of the environment variable CHUNK_ROWS, and a larger size. */
const CHUNK_ROWS = [1_000, 5_000];
/** The default of WORKER_CONCURRENCY. */
const CONCURRENCY = 4;
const logger = createLogger('bench', 'error');

/** Runs one processor from a loop and from the queue in alternation. Claim, enrichment and commit are the same. */
export async function queueOverhead(wanted: Wanted): Promise<readonly QueueTimes[]> {
  const { databaseUrl, folder, file, release, rounds } = wanted;
  const binary = findRedisServer(process.env.PATH ?? '');
  if (binary === null) return [];
  const redis = await startRedis({ dataDir: join(folder, 'redis'), logFile: join(folder, 'redis.log'), binary });
  const pool = createPool(databaseUrl, logger, { max: CONCURRENCY + 4 });
  const bench = new QueueBench(pool, redis.url, release, file);
  try {
    await bench.prepare();
    const times: QueueTimes[] = [];
    for (const chunkRows of CHUNK_ROWS) {
      await reportStep('chunks are claimed by a loop', () => bench.loop(chunkRows)); // warm-up
      const turns = { without: () => bench.loop(chunkRows), with: () => bench.queue(chunkRows) };
      times.push({ chunkRows, ...(await alternate(rounds, turns, `queue overhead, ${chunkRows} rows a chunk`)) });
    }
    Installation.versions.add(`Redis ${redis.version}`);
    return times;
  } finally {
    await pool.end();
    await redis.stop();
  }
}

class QueueBench {
  private readonly processor: EnrichChunkProcessor;
  private readonly intakes: IntakeRepository;
  private readonly apiKeyId = randomUUID();

  constructor(
    private readonly pool: Pool,
    private readonly redisUrl: string,
    private readonly release: Release,
    private readonly file: string,
  ) {
    const keys = new AddressKeys({ secret: 'secret of a bench', benchmark: 'b', vintage: 'v' });
    const locations = new LocationRepository(pool, keys);
    const store = new ChunkRowsStore(locations, new ResultStore(locations), new ContributionStore(locations));
    const chunks = new ChunkRepository(pool, store);
    const releases = new ReleaseHolder(
      { activeId: () => Promise.resolve(release.id) },
      {
        load: () => Promise.resolve(release),
        recordActiveAndPrune: () => Promise.resolve(),
        lastActive: () => Promise.resolve(null),
      },
      logger,
    );
    this.processor = new EnrichChunkProcessor(
      chunks,
      releases,
      new RowByRowRetry(chunks, keys),
      store,
      keys,
      new JobRecorder(new WorkCounter(pool, logger), logger),
      logger,
    );
    this.intakes = new IntakeRepository(pool);
  }

  async prepare(): Promise<void> {
    const { id, label, sha256, bytes } = this.release;
    await this.pool.query(
      `insert into data_release (id, label, sha256, bytes) values ($1, $2, $3, $4) on conflict do nothing`,
      [id, label, Buffer.from(sha256, 'hex'), bytes],
    );
    await this.pool.query(
      `insert into api_key (id, name, prefix, secret_hash, scopes) values ($1, 'bench', 'bench', decode(repeat('00', 32), 'hex'), '{}')`,
      [this.apiKeyId],
    );
  }

  /** Processes the chunks without a queue, CONCURRENCY at a time. @returns milliseconds */
  loop(chunkRows: number): Promise<number> {
    return this.timed(chunkRows, async (refs) => {
      const left = refs.values();
      const line = async (): Promise<void> => {
        for (const data of left) await this.processor.process({ ...NO_JOB, data } as EnrichJob); // all fields it reads
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, line));
    });
  }

  /** Adds the chunks as jobs; a BullMQ worker takes and removes them. @returns milliseconds */
  async queue(chunkRows: number): Promise<number> {
    const connection = { url: this.redisUrl };
    const queue = new Queue<ChunkRef>(QUEUES.enrich, {
      connection,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    });
    const worker = new Worker(QUEUES.enrich, (job: EnrichJob) => this.processor.process(job), {
      ...WORKER_OPTIONS,
      connection: { ...connection, maxRetriesPerRequest: null },
      concurrency: CONCURRENCY,
    });
    const producer = new ChunkProducer(queue, logger);
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
    try {
      return await this.timed(chunkRows, async (refs) => {
        let done = 0;
        const completed = new Promise<void>((resolve, reject) => {
          worker.on('completed', () => ++done === refs.length && resolve());
          worker.on('failed', (_job, error) => reject(error));
        });
        await producer.enqueue(refs);
        await completed;
      });
    } finally {
      await worker.close();
      await queue.close();
    }
  }

  /** Measures the work on a batch of the file, then deletes the batch. */
  private async timed(chunkRows: number, work: (refs: readonly ChunkRef[]) => Promise<void>): Promise<number> {
    const { apiKeyId, release } = this;
    const unused = { enqueueBestEffort: () => undefined };
    const intake = new BatchIntake(this.intakes, { chunkRows, ttlHours: 1 }, unused);
    const { batch } = await intake.accept(
      { apiKeyId, type: 'contributions', format: 'itcont', releaseId: release.id },
      createReadStream(this.file),
    );
    const refs = Array.from({ length: batch.chunksTotal }, (_, seq) => ({ batchId: batch.id, seq }));
    await this.pool.query('checkpoint');
    const start = performance.now();
    await work(refs);
    const ms = performance.now() - start;
    const { rows } = await this.pool.query<{ state: string }>('select state from batch where id = $1', [batch.id]);
    if (rows[0].state !== 'completed') throw new Error(`the batch is ${rows[0].state}`);
    await this.pool.query('truncate result; delete from batch');
    return ms;
  }
}

const NO_JOB = { name: 'enrich-chunk', attemptsStarted: 1, processedOn: 0, timestamp: 0 } as const;
