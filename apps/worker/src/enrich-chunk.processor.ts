import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { type Job } from 'bullmq';
import { ChunkRepository, type ClaimedChunk } from '@donorlens/batches';
import { ChunkMismatchError, enrichChunk } from '@donorlens/enrichment';
import { LOGGER, type Logger } from '@donorlens/observability';
import { DomainError, type Tally } from '@donorlens/primitives';
import { type ChunkRef, QUEUES, WORKER_OPTIONS } from '@donorlens/queues';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { Passage } from './passage';
import { type SuspectResult, SuspectRun } from './suspect-run';

type EnrichJob = Job<ChunkRef, Tally | null, 'enrich-chunk'>;

const LEASE_MS = 15_000; // a chunk takes well under 1 s; a killed worker's chunk is free again after this
const RETRY_MS = 2_000; // after a fault that is not the chunk's: the database or its release was away
const GIVE_BACK_MS = 10_000; // below the lease: a cursor that outlives it would blame a row that did nothing
const CRASHES_BEFORE_SUSPECT = 3;

/**
 * Enriches one chunk of a batch: claim, enrich, commit.
 *
 * A crash before the commit leaves nothing behind but the lease, which ends after 15 s; the reconciler then adds the
 * job again. A crash after it leaves a job that finds nothing to claim. So a second run of a finished chunk changes
 * nothing, and of two runs at once (a worker that froze and woke up) the one whose commit finds the chunk still open
 * and leased to it wins; results and counters are one transaction.
 *
 * Runs are counted by the claim. After three that ended in a crash the chunk goes row by row (SuspectRun), which
 * bounds what a row that kills the process can cost.
 */
@Processor(QUEUES.enrich, WORKER_OPTIONS)
export class EnrichChunkProcessor extends WorkerHost {
  private readonly passage = new Passage();
  private active = 0;
  private stopping = false;

  constructor(
    private readonly chunks: ChunkRepository,
    private readonly releases: ReleaseHolder,
    private readonly suspects: SuspectRun,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** @returns the tally, or null where there was nothing to do here: done, cancelled, deleted, or held by another */
  async process(job: EnrichJob): Promise<Tally | null> {
    this.active++;
    const start = performance.now();
    try {
      const chunk = await this.chunks.claim(job.data, LEASE_MS);
      const tally = chunk && (await this.finish(chunk).catch((error: unknown) => this.orFailBatch(chunk, error)));
      this.logger.debug(fields(job, start, tally), tally ? 'chunk done' : 'nothing to do');
      return tally;
    } finally {
      this.active--;
    }
  }

  /** Chunks in work. */
  get inWork(): number {
    return this.active;
  }

  /** A suspect chunk, which may take seconds, ends at its next row. */
  stop(): void {
    this.stopping = true;
  }

  /** A chunk that does not hold what it says will not do so next time either: its batch cannot be read. */
  private async orFailBatch(chunk: ClaimedChunk, error: unknown): Promise<null> {
    if (!(error instanceof ChunkMismatchError)) throw error;
    this.logger.error(
      { err: error, batchId: chunk.batchId, chunk: chunk.seq },
      'unreadable chunk, its batch has failed',
    );
    await this.chunks.failBatch(chunk.batchId, 'unreadable_input');
    return null;
  }

  private async finish(chunk: ClaimedChunk): Promise<Tally | null> {
    const release = await this.orGiveBack(chunk, () => this.releases.get(chunk.releaseId));
    const enriched = await this.enriched(chunk, release);
    if (enriched === null) {
      await this.giveBack(chunk, 0);
      return null;
    }
    const won = await this.orGiveBack(chunk, () => this.chunks.commit(chunk, enriched.copy, enriched.tally));
    return won ? enriched.tally : null;
  }

  /** An error thrown in here is the chunk's own, so it is not given back: its lease ends and the run counts. */
  private enriched(chunk: ClaimedChunk, release: Release): Promise<SuspectResult | null> {
    if (chunk.runs <= CRASHES_BEFORE_SUSPECT)
      return this.passage.withOthers(() => {
        const { copy, tally } = enrichChunk(chunk.spec, chunk.input, release, { poison: new Set(chunk.poisonRows) });
        return Promise.resolve({ copy: [copy], tally });
      });
    this.logger.warn({ batchId: chunk.batchId, chunk: chunk.seq, runs: chunk.runs }, 'suspect chunk, row by row');
    return this.passage.alone(() =>
      this.orGiveBack(chunk, () => this.suspects.run(chunk, release, LEASE_MS, () => this.stopping)),
    );
  }

  private async orGiveBack<T>(chunk: ClaimedChunk, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // A domain error of the pipeline is the chunk's own fault and counts as a run; the rest is the weather.
      if (!(error instanceof DomainError)) await this.giveBack(chunk, RETRY_MS);
      throw error;
    }
  }

  /** Tries for as long as the chunk is certainly ours: the database may be restarting. */
  private async giveBack(chunk: ClaimedChunk, afterMs: number): Promise<void> {
    const until = performance.now() + GIVE_BACK_MS;
    for (;;)
      try {
        return await this.chunks.giveBack(chunk, new Date(Date.now() + afterMs));
      } catch (err) {
        if (this.stopping || performance.now() > until)
          return this.logger.warn({ err, batchId: chunk.batchId, chunk: chunk.seq }, 'chunk left to its lease');
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
  }
}

const fields = (job: EnrichJob, start: number, tally: Tally | null): object => ({
  job: job.name,
  batchId: job.data.batchId,
  chunk: job.data.seq,
  attempt: job.attemptsStarted,
  queuedMs: (job.processedOn ?? job.timestamp) - job.timestamp,
  ranMs: Math.round(performance.now() - start),
  ...tally,
});
