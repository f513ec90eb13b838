import { type Pool } from 'pg';
import { type ClaimedChunk, ResultStore } from '@donorlens/batches';
import { ContributionStore } from '@donorlens/campaign-finance';
import { enrichChunk } from '@donorlens/enrichment';
import { LocationRepository } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { ChunkRowsStore } from '../../../apps/worker/src/chunk-rows.store';
import { ADDRESS_KEYS } from '../reference-data/known-addresses';
import { knownRelease, pipelineOn } from './pipeline';

const LEASE = 10_000;

/** Runs the reconciler and workers for chunks of imports and batches in this process, stepwise or continuously. */
export class ImportWorkers {
  /** Number of batches whose counters did not agree with their chunks, over all ticks. */
  violations = 0;
  /** Maximum number of chunks that were open at the same time. */
  maxOpen = 0;
  readonly pipeline: ReturnType<typeof pipelineOn>;
  private readonly rows: ChunkRowsStore;
  private stopping = false;
  private running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly pool: Pool,
    private readonly release: Release,
  ) {
    this.pipeline = pipelineOn(pool);
    const locations = new LocationRepository(pool, ADDRESS_KEYS);
    this.rows = new ChunkRowsStore(locations, new ResultStore(locations), new ContributionStore(locations));
  }

  static async on(pool: Pool, release: Release): Promise<ImportWorkers> {
    await knownRelease(pool, release.id);
    return new ImportWorkers(pool, release);
  }

  start(): this {
    this.stopping = false;
    this.running = (async () => {
      while (!this.stopping) {
        await this.work();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    })();
    return this;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  /** Processes all waiting chunks. */
  async work(): Promise<void> {
    const { queue } = this.pipeline;
    await this.tick();
    for (let ref = queue.take(); ref; ref = queue.take()) {
      const chunk = await this.pipeline.chunks.claim(ref, LEASE);
      if (chunk) await this.finish(chunk);
    }
    await this.tick();
  }

  /** Claims one chunk without processing it. */
  async take(): Promise<ClaimedChunk> {
    await this.tick();
    const ref = this.pipeline.queue.take();
    const chunk = ref && (await this.pipeline.chunks.claim(ref, LEASE));
    if (!chunk) throw new Error('no chunk waits');
    return chunk;
  }

  async finish(chunk: ClaimedChunk): Promise<boolean> {
    const enriched = enrichChunk(chunk.spec, chunk.input, this.release, { addressKeys: ADDRESS_KEYS });
    const rows = await this.rows.prepare(enriched, this.release);
    return this.pipeline.chunks.commit(chunk, {
      store: (client) => this.rows.store(client, chunk, rows),
      counts: enriched.counts,
    });
  }

  private async tick(): Promise<void> {
    const { rows } = await this.pool.query<{ n: number }>(
      `select count(*)::int as n from chunk where state in ('pending', 'queued', 'leased')`,
    );
    this.maxOpen = Math.max(this.maxOpen, rows[0].n);
    this.violations += (await this.pipeline.reconciler.tick(this.pipeline.queue)).violations;
  }
}
