import { type Pool } from 'pg';
import { type Batch, type ClaimedChunk, type ReconcilerReport, storeResults } from '@donorlens/batches';
import { newApiKey, pipelineOn, uniformLines } from './pipeline';

const LEASE = 10_000;

/** Batches of one client with ten rows per chunk, taken through their states step by step. */
export class BatchLife {
  private constructor(
    private readonly pool: Pool,
    readonly apiKeyId: string,
    readonly pipeline: ReturnType<typeof pipelineOn>,
  ) {}

  /** Starts on an emptied database. */
  static async on(pool: Pool): Promise<BatchLife> {
    await pool.query('truncate batch, chunk, result, key_usage, api_key cascade');
    return new BatchLife(pool, await newApiKey(pool), pipelineOn(pool));
  }

  /** Uses a database that has batches of this client. */
  static of(pool: Pool, apiKeyId: string): BatchLife {
    return new BatchLife(pool, apiKeyId, pipelineOn(pool));
  }

  async accepted(rows: number): Promise<Batch> {
    const queries = Array.from({ length: rows }, (_, i) => ({ name: `Name${i}`, date: '2016-03-01' }));
    const request = { apiKeyId: this.apiKeyId, type: 'age_gender', format: 'json', releaseId: 'sample.1' } as const;
    return (await this.pipeline.intake.accept(request, queries)).batch;
  }

  async claim(batchId: string, seq: number): Promise<ClaimedChunk> {
    const chunk = await this.pipeline.chunks.claim({ batchId, seq }, LEASE);
    if (!chunk) throw new Error('the chunk should be free');
    return chunk;
  }

  commit(chunk: ClaimedChunk): Promise<boolean> {
    const { copy, counts } = uniformLines(chunk);
    return this.pipeline.chunks.commit(chunk, { store: (client) => storeResults(client, copy), counts });
  }

  current(id: string): Promise<Batch | null> {
    return this.pipeline.batches.get(this.apiKeyId, id);
  }

  async states(batchId: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ state: string }>(
      'select state from chunk where batch_id = $1 order by seq',
      [batchId],
    );
    return rows.map(({ state }) => state);
  }

  tick(): Promise<ReconcilerReport> {
    return this.pipeline.reconciler.tick(this.pipeline.queue);
  }

  /** Commits all chunks that are in the queue, like a worker. */
  async drain(): Promise<void> {
    const { queue, chunks } = this.pipeline;
    for (let ref = queue.take(); ref; ref = queue.take()) {
      const chunk = await chunks.claim(ref, LEASE);
      if (chunk) await this.commit(chunk);
    }
  }

  /** Chunks and results left in the database. */
  async rowsLeft(): Promise<number> {
    const { rows } = await this.pool.query<{ n: number }>(
      'select ((select count(*) from chunk) + (select count(*) from result))::int as n',
    );
    return rows[0].n;
  }
}
