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
import { JobAccounts, type JobRun } from './job-accounts';
import { RowByRowRetry } from './row-by-row-retry';
import { Semaphore } from 'async-mutex';

type EnrichJob = Job<ChunkRef, OutcomeCounts | null, 'enrich-chunk'>;

const HEARTBEAT_MS = 3_000; // a chunk that waits for the lock extends its lease so often: two may fail
const RELEASE_MS = 7_000; // below the lease: a row mark that outlives its lease would be held against the wrong row
const CRASHES_BEFORE_ISOLATION = 3;

/**
 * Enriches one chunk of a batch: claim, enrich, commit.
 *
 * A crash before the commit leaves nothing behind but the lease, which expires after 10 s; the reconciler then adds the
 * job again. A crash after the commit leaves a job that finds nothing to claim. So a second run of a finished chunk
 * changes nothing. Of two runs at once (a worker that froze and resumed), the one whose commit finds the chunk open and
 * leased to it wins. Results, counters and the addresses that rows wait for are one transaction.
 *
 * The claim counts attempts. After three that ended in a crash the chunk is isolated and processed row by row
 * (RowByRowRetry), which bounds the cost of a row that crashes the process. Attempts that end in an error count as well,
 * unless the database or the machine was at fault; after ten of them the batch has failed (chunkFault).
 */
@Processor(QUEUES.enrich, WORKER_OPTIONS)
export class EnrichChunkProcessor extends WorkerHost {
  private readonly lock = new ReadWriteLock();
  private active = 0;
  private stopping = false;

  constructor(
    private readonly chunks: ChunkRepository<ChunkRows>,
    private readonly releases: ReleaseHolder,
    private readonly rowByRow: RowByRowRetry,
    private readonly store: ChunkRowsStore,
    private readonly addressKeys: AddressKeys,
    private readonly accounts: JobAccounts,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** @returns the counts, or null if there is nothing to do: done, cancelled, deleted, or leased to another worker */
  async process(job: EnrichJob): Promise<OutcomeCounts | null> {
    this.active++;
    const { batchId, seq } = job.data;
    try {
      return await this.accounts.of(
        QUEUES.enrich,
        job,
        { batchId, chunk: seq },
        (run) => this.run(job.data, run),
        (counts) => counts,
      );
    } finally {
      this.active--;
    }
  }

  /** Active chunks. */
  get inWork(): number {
    return this.active;
  }

  /** A row-by-row retry, which may take seconds, stops at its next row. */
  stop(): void {
    this.stopping = true;
  }

  private async run(ref: ChunkRef, run: JobRun): Promise<OutcomeCounts | null> {
    const chunk = await this.chunks.claim(ref, CHUNK_LEASE_MS);
    return chunk && (await this.finish(chunk).catch((error: unknown) => this.handleFailure(chunk, error, run)));
  }

  /** Defers the chunk to its next attempt, or fails its batch. */
  private async handleFailure(chunk: ClaimedChunk, error: unknown, run: JobRun): Promise<null> {
    const fault = chunkFault(error, chunk.attempts, chunk.spec.filed?.kind === 'contributions');
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
    if (chunk.attempts <= CRASHES_BEFORE_ISOLATION)
      return this.locked(chunk, 'withSharedLock', () =>
        Promise.resolve(
          enrichChunk(chunk.spec, chunk.input, release, {
            poison: new Set(chunk.poisonRows),
            addressKeys: this.addressKeys,
          }),
        ),
      );
    this.logger.warn(idsOf(chunk), 'chunk crashed three times, retrying it row by row');
    return this.locked(chunk, 'withExclusiveLock', () =>
      this.rowByRow.run(chunk, release, CHUNK_LEASE_MS, () => this.stopping),
    );
  }

  /**
   * The wait for the lock may be longer than a lease, as an isolated chunk takes seconds. Heartbeats extend the lease
   * meanwhile, or the wait would count as a crash.
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

  /** Tries while the lease certainly holds: the database may be restarting. */
  private async release(chunk: ClaimedChunk, release: () => Promise<void>): Promise<void> {
    const until = performance.now() + RELEASE_MS;
    for (;;)
      try {
        return await release();
      } catch (err) {
        if (this.stopping || performance.now() > until)
          return this.logger.warn({ err, ...idsOf(chunk) }, 'chunk not released, it is free when its lease expires');
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
  }
}

const idsOf = ({ batchId, seq, attempts }: ClaimedChunk): object => ({ batchId, chunk: seq, attempts });

/** More than WORKER_CONCURRENCY allows. A release costs time in proportion: 1.4 ms at a million, 6 µs at a thousand. */
const MAX_READERS = 100;

/**
 * Shared and exclusive locks, granted in order of arrival. A row-by-row retry needs the exclusive one: if another chunk
 * were processed when a row crashes the process, the wrong row would be blamed.
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
