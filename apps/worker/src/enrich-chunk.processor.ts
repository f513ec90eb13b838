import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { type Job } from 'bullmq';
import { CHUNK_LEASE_MS, ChunkRepository, type ClaimedChunk } from '@donorlens/batches';
import { type EnrichedChunk, enrichChunk } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type OutcomeCounts } from '@donorlens/primitives';
import { type ChunkRef, QUEUES, WORKER_OPTIONS } from '@donorlens/queues';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { chunkFault } from './chunk-fault';
import { type ChunkRows, ChunkRowsStore } from './chunk-rows.store';
import { JobRecorder, type JobReport } from './job-recorder';
import { RowByRowRetry } from './row-by-row-retry';
import { Semaphore } from 'async-mutex';

type EnrichJob = Job<ChunkRef, OutcomeCounts | null, 'enrich-chunk'>;

const HEARTBEAT_MS = 3_000; // interval of lease extensions during the wait for the lock: two of them may fail
const RELEASE_MS = 7_000; // below the lease of 10 s: after it, the row mark would count as a crash of that row
const ATTEMPTS_BEFORE_ISOLATION = 3;

/**
 * Enriches one chunk of a batch: claim, enrich, commit.
 *
 * A crash before the commit leaves only the lease, which expires after 10 s; the reconciler then adds the job again. A
 * crash after the commit leaves a job that finds nothing to claim. So a second run of a finished chunk changes nothing.
 * Of two concurrent runs (one worker froze and resumed), the run commits that still holds the lease of the open chunk.
 * One transaction stores the results, the counters and the addresses that rows wait for.
 *
 * The claim counts attempts. After three of them the chunk is isolated and processed row by row (RowByRowRetry), which
 * bounds the cost of a row that crashes the process. Attempts that end in an error count as well, unless the database
 * or the machine caused it; after ten attempts the batch fails (chunkFault).
 */
@Processor(QUEUES.enrich, WORKER_OPTIONS)
export class EnrichChunkProcessor extends WorkerHost {
  private readonly lock = new ReadWriteLock();
  private active = 0;
  private isStopping = false;

  constructor(
    private readonly chunks: ChunkRepository<ChunkRows>,
    private readonly releases: ReleaseHolder,
    private readonly rowByRow: RowByRowRetry,
    private readonly store: ChunkRowsStore,
    private readonly addressKeys: AddressKeys,
    private readonly recorder: JobRecorder,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** @returns the counts, or null if there is nothing to do: done, cancelled, deleted, or leased to another worker */
  async process(job: EnrichJob): Promise<OutcomeCounts | null> {
    this.active++;
    try {
      const work = (run: JobReport): Promise<OutcomeCounts | null> => this.run(job.data, run);
      return await this.recorder.run(QUEUES.enrich, job, work, (counts) => counts);
    } finally {
      this.active--;
    }
  }

  /** Number of active chunks. */
  get inWork(): number {
    return this.active;
  }

  /** Makes a row-by-row retry, which may take seconds, stop at its next row. */
  stop(): void {
    this.isStopping = true;
  }

  private async run(ref: ChunkRef, run: JobReport): Promise<OutcomeCounts | null> {
    const chunk = await this.chunks.claim(ref, CHUNK_LEASE_MS);
    return chunk && (await this.finish(chunk).catch((error: unknown) => this.handleFailure(chunk, error, run)));
  }

  /** Schedules the next attempt of the chunk, or fails its batch. */
  private async handleFailure(chunk: ClaimedChunk, error: unknown, run: JobReport): Promise<null> {
    const fault = chunkFault(error, chunk.attempts, chunk.spec.importSpec?.kind === 'contributions');
    if (fault.kind !== 'fatal') {
      await this.release(chunk, () => this.chunks.deferRetry(chunk, fault.retryMs, fault.kind === 'counted'));
      throw error;
    }
    run.failed();
    await this.chunks.failBatch(chunk.batchId, fault.errorCode);
    this.logger.error(
      { err: error, ...idsOf(chunk), errorCode: fault.errorCode },
      'batch failed: a chunk could not be processed',
    );
    return null;
  }

  private async finish(chunk: ClaimedChunk): Promise<OutcomeCounts | null> {
    const release = await this.releases.get(chunk.releaseId);
    const enriched = await this.enriched(chunk, release);
    if (enriched === null) {
      await this.release(chunk, () => this.chunks.releaseLease(chunk));
      return null;
    }
    const rows = await this.store.prepare(enriched, release);
    return (await this.chunks.commit(chunk, rows)) ? enriched.counts : null;
  }

  private enriched(chunk: ClaimedChunk, release: Release): Promise<EnrichedChunk | null> {
    if (chunk.attempts <= ATTEMPTS_BEFORE_ISOLATION)
      return this.locked(chunk, 'withSharedLock', () =>
        Promise.resolve(
          enrichChunk(chunk.spec, chunk.input, release, {
            poison: new Set(chunk.poisonRows),
            addressKeys: this.addressKeys,
          }),
        ),
      );
    this.logger.warn(idsOf(chunk), 'three attempts at the chunk failed, retrying it row by row');
    return this.locked(chunk, 'withExclusiveLock', () =>
      this.rowByRow.run(chunk, release, CHUNK_LEASE_MS, () => this.isStopping),
    );
  }

  /**
   * Runs the work under the lock. The wait for the lock may be longer than a lease, because an isolated chunk takes
   * seconds. Heartbeats extend the lease during the wait; without them it would count as a crash.
   * @returns null if the lease was lost meanwhile
   */
  private async locked<T>(
    chunk: ClaimedChunk,
    how: 'withSharedLock' | 'withExclusiveLock',
    work: () => Promise<T | null>,
  ): Promise<T | null> {
    const extend = (): Promise<boolean> => this.chunks.extendLease(chunk, CHUNK_LEASE_MS);
    const start = performance.now();
    const heartbeat = setInterval(() => void extend().catch(() => false), HEARTBEAT_MS);
    return this.lock[how](async () => {
      clearInterval(heartbeat);
      const isFresh = performance.now() - start < HEARTBEAT_MS; // no statement is needed
      return isFresh || (await extend()) ? work() : null;
    });
  }

  /** Retries as long as the lease is certainly valid, because the database may be restarting. */
  private async release(chunk: ClaimedChunk, release: () => Promise<void>): Promise<void> {
    const until = performance.now() + RELEASE_MS;
    for (;;)
      try {
        return await release();
      } catch (err) {
        if (this.isStopping || performance.now() > until)
          return this.logger.warn({ err, ...idsOf(chunk) }, 'chunk not released, it is free when its lease expires');
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
  }
}

const idsOf = ({ batchId, seq, attempts }: ClaimedChunk): object => ({ batchId, chunk: seq, attempts });

/** Above the maximum WORKER_CONCURRENCY. A release takes time in proportion: 6 µs for 1,000, 1.4 ms for 1 million. */
const MAX_READERS = 100;

/**
 * Shared and exclusive locks, granted in order of arrival. A row-by-row retry takes the exclusive lock: otherwise a row
 * of another chunk could crash the process, and the crash would be attributed to the wrong row.
 */
export class ReadWriteLock {
  private readonly semaphore = new Semaphore(MAX_READERS);

  withSharedLock<T>(work: () => Promise<T>): Promise<T> {
    return this.semaphore.runExclusive(work, 1);
  }

  withExclusiveLock<T>(work: () => Promise<T>): Promise<T> {
    return this.semaphore.runExclusive(work, MAX_READERS);
  }
}
