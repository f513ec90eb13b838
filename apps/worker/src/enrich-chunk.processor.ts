import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { type Job } from 'bullmq';
import { ChunkRepository, type ClaimedChunk } from '@donorlens/batches';
import { type EnrichedChunk, enrichChunk } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type Tally } from '@donorlens/primitives';
import { type ChunkRef, QUEUES, WORKER_OPTIONS } from '@donorlens/queues';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { chunkFault } from './chunk-fault';
import { ChunkStorage } from './chunk-storage';
import { JobAccounts, type JobRun } from './job-accounts';
import { Passage } from './passage';
import { SuspectRun } from './suspect-run';

type EnrichJob = Job<ChunkRef, Tally | null, 'enrich-chunk'>;

const LEASE_MS = 10_000; // a chunk takes well under 1 s; a killed worker's chunk is free again after this
const KEEP_MS = 3_000; // a chunk that waits for its turn extends its lease so often: twice may fail
const GIVE_BACK_MS = 7_000; // below the lease: a cursor that outlives it would blame a row that did nothing
const CRASHES_BEFORE_SUSPECT = 3;

/**
 * Enriches one chunk of a batch: claim, enrich, commit.
 *
 * A crash before the commit leaves nothing behind but the lease, which ends after 10 s; the reconciler then adds the
 * job again. A crash after it leaves a job that finds nothing to claim. So a second run of a finished chunk changes
 * nothing, and of two runs at once (a worker that froze and woke up) the one whose commit finds the chunk still open
 * and leased to it wins; results, counters and the addresses that they wait for are one transaction.
 *
 * Runs are counted by the claim. After three that ended in a crash the chunk goes row by row (SuspectRun), which
 * bounds what a row that kills the process can cost. Runs that end in an error count as well, unless the database or
 * the machine was at fault, and after ten of them the batch has failed (chunkFault).
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
    private readonly storage: ChunkStorage,
    private readonly addressKeys: AddressKeys,
    private readonly accounts: JobAccounts,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** @returns the tally, or null where there was nothing to do here: done, cancelled, deleted, or held by another */
  async process(job: EnrichJob): Promise<Tally | null> {
    this.active++;
    const { batchId, seq } = job.data;
    try {
      return await this.accounts.of(
        QUEUES.enrich,
        job,
        { batchId, chunk: seq },
        (run) => this.run(job.data, run),
        (tally) => tally,
      );
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

  private async run(ref: ChunkRef, run: JobRun): Promise<Tally | null> {
    const chunk = await this.chunks.claim(ref, LEASE_MS);
    return chunk && (await this.finish(chunk).catch((error: unknown) => this.settle(chunk, error, run)));
  }

  /** After a run that threw: the chunk waits for its next run, or its batch has failed. */
  private async settle(chunk: ClaimedChunk, error: unknown, run: JobRun): Promise<null> {
    const fault = chunkFault(error, chunk.runs);
    if (fault.kind !== 'fatal') {
      await this.letGo(chunk, () => this.chunks.putOff(chunk, fault.retryMs, fault.kind === 'counted'));
      throw error;
    }
    run.failed();
    await this.chunks.failBatch(chunk.batchId, fault.errorCode);
    this.logger.error(
      { err: error, ...about(chunk), errorCode: fault.errorCode },
      'batch failed: a chunk cannot be done',
    );
    return null;
  }

  private async finish(chunk: ClaimedChunk): Promise<Tally | null> {
    const release = await this.releases.get(chunk.releaseId);
    const enriched = await this.enriched(chunk, release);
    if (enriched === null) {
      await this.letGo(chunk, () => this.chunks.giveBack(chunk));
      return null;
    }
    const store = await this.storage.of(chunk, enriched, release);
    return (await this.chunks.commit(chunk, store, enriched.tally)) ? enriched.tally : null;
  }

  private enriched(chunk: ClaimedChunk, release: Release): Promise<EnrichedChunk | null> {
    if (chunk.runs <= CRASHES_BEFORE_SUSPECT)
      return this.inTurn(chunk, 'withOthers', () =>
        Promise.resolve(
          enrichChunk(chunk.spec, chunk.input, release, {
            poison: new Set(chunk.poisonRows),
            addressKeys: this.addressKeys,
          }),
        ),
      );
    this.logger.warn(about(chunk), 'suspect chunk, row by row');
    return this.inTurn(chunk, 'alone', () => this.suspects.run(chunk, release, LEASE_MS, () => this.stopping));
  }

  /**
   * The line may be longer than a lease, as a suspect chunk takes seconds: while a chunk stands in it, its lease is
   * extended, or the wait would count as a crash.
   * @returns null where the lease was lost meanwhile
   */
  private async inTurn<T>(
    chunk: ClaimedChunk,
    how: 'withOthers' | 'alone',
    work: () => Promise<T | null>,
  ): Promise<T | null> {
    const extend = (): Promise<boolean> => this.chunks.extendLease(chunk, LEASE_MS);
    const start = performance.now();
    const keeping = setInterval(() => void extend().catch(() => false), KEEP_MS);
    const turn = async (): Promise<T | null> => {
      clearInterval(keeping);
      const isFresh = performance.now() - start < KEEP_MS; // as good as always: not worth a statement
      return isFresh || (await extend()) ? work() : null;
    };
    return this.passage[how](turn);
  }

  /** Tries for as long as the chunk is certainly ours: the database may be restarting. */
  private async letGo(chunk: ClaimedChunk, release: () => Promise<void>): Promise<void> {
    const until = performance.now() + GIVE_BACK_MS;
    for (;;)
      try {
        return await release();
      } catch (err) {
        if (this.stopping || performance.now() > until)
          return this.logger.warn({ err, ...about(chunk) }, 'chunk left to its lease');
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
  }
}

const about = ({ batchId, seq, runs }: ClaimedChunk): object => ({ batchId, chunk: seq, runs });
