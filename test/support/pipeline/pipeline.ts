import { randomBytes, randomUUID } from 'node:crypto';
import { type Pool, type PoolClient } from 'pg';
import {
  BatchIntake,
  BatchRepository,
  BatchAges,
  BatchResults,
  type ChunkAddresses,
  type ChunkQueue,
  ChunkRepository,
  type ChunkStore,
  type CountedRows,
  IntakeRepository,
  Reconciler,
  ReconcilerRepository,
  ResultPages,
} from '@donorlens/batches';
import { OUTCOMES, type OutcomeCounts, emptyCounts } from '@donorlens/primitives';
import { type ChunkRef } from '@donorlens/queues';

/** A queue in memory that has a job only once, like the real one, and can be unavailable or lose jobs. */
export class MemoryQueue implements ChunkQueue {
  readonly jobs = new Map<string, ChunkRef>();
  isUnavailable = false;
  hinted: ChunkRef[] = [];

  constructor(private readonly window = 1000) {}

  enqueue(refs: readonly ChunkRef[]): Promise<void> {
    if (this.isUnavailable) return Promise.reject(new Error('the queue is unavailable'));
    for (const ref of refs) this.jobs.set(`${ref.batchId}.${ref.seq}`, ref);
    return Promise.resolve();
  }

  remainingCapacity(): Promise<number> {
    return Promise.resolve(this.isUnavailable ? 0 : Math.max(0, this.window - this.jobs.size));
  }

  enqueueBestEffort(refs: readonly ChunkRef[]): void {
    this.hinted.push(...refs);
  }

  take(): ChunkRef | undefined {
    const [first] = this.jobs;
    if (!first) return undefined;
    this.jobs.delete(first[0]);
    return first[1];
  }
}

/** Rows of a chunk with the function that stores them, so that a test decides what the commit writes. */
export interface TestRows extends CountedRows {
  store(client: PoolClient): Promise<ChunkAddresses | void>;
}

export const TEST_STORE: ChunkStore<TestRows> = { store: (client, _chunk, rows) => rows.store(client) };

/** Creates the batch pipeline on a database, without dependency injection. */
export function pipelineOn(pool: Pool, { chunkRows = 10, ttlHours = 168 } = {}) {
  const queue = new MemoryQueue();
  return {
    queue,
    batches: new BatchRepository(pool),
    intake: new BatchIntake(new IntakeRepository(pool), { chunkRows, ttlHours }, queue),
    chunks: new ChunkRepository(pool, TEST_STORE),
    results: new BatchResults(new ResultPages(pool), new BatchAges(pool)),
    reconciler: new Reconciler(new ReconcilerRepository(pool)),
  };
}

/** Stores an API key, and the release `sample.1` for its batches. */
export async function newApiKey(pool: Pool): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `insert into api_key (id, name, prefix, secret_hash, scopes) values ($1, 'test', $2, $3, '{enrich:batch}')`,
    [id, randomBytes(6).toString('hex'), randomBytes(32)],
  );
  await knownRelease(pool, 'sample.1');
  return id;
}

/** Stores a release of which only the id matters. */
export async function knownRelease(pool: Pool, id: string): Promise<void> {
  await pool.query(
    `insert into data_release (id, label, sha256, bytes, created_at) values ($1, 'sample', '', 0, '2000-01-01')
     on conflict (id) do nothing`,
    [id],
  );
}

/** COPY text for a chunk whose rows all have the same outcome, without enrichment. */
export function uniformLines(
  { batchId, firstRow, rows }: { batchId: string; firstRow: number; rows: number },
  outcome: keyof OutcomeCounts = 'ok',
): { copy: Buffer; counts: OutcomeCounts } {
  const code = outcome === 'invalid' || outcome === 'failed' ? 'bad_date' : '\\N';
  const lines = Array.from(
    { length: rows },
    (_, i) =>
      `${batchId}\t${firstRow + i}\t${OUTCOMES.indexOf(outcome)}\t${code}\tsource ${firstRow + i}${'\t\\N'.repeat(14)}\n`,
  );
  return { copy: Buffer.from(lines.join('')), counts: { ...emptyCounts(), [outcome]: rows } };
}

export async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece as Buffer));
  return Buffer.concat(pieces).toString();
}
