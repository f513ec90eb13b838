import { setTimeout as pause } from 'node:timers/promises';
import { type Pool, type PoolClient } from 'pg';
import { type BuiltChunk, ChunkBuilder, ImportBatches, type ImportBatchesProgress } from '@donorlens/batches';
import { type Fence, holdLease, inTransaction } from '@donorlens/database';
import { type ImportSpec } from '@donorlens/primitives';
import { ImportError, diskFullError } from '../import-error';
import { ImportRepository, type Reject, insertRejects } from './import.repository';
import { type ImportPosition } from './stored-import';

const STALLED_AFTER_MS = 15_000; // a chunk takes well under a second, and the reconciler enqueues waiting chunks every second

/** Detects that no chunk was finished for some time. */
class StallWatch {
  private done = -1;
  private since = 0;

  constructor(private readonly stalledAfterMs = STALLED_AFTER_MS) {}

  /** Starts the period again: time in which nothing was checked does not count. */
  reset(): void {
    this.since = performance.now();
  }

  /** @returns whether the number of finished chunks has not changed for too long */
  hasStalled(chunksDone: number): boolean {
    if (chunksDone !== this.done) {
      this.done = chunksDone;
      this.reset();
    }
    return performance.now() - this.since >= this.stalledAfterMs;
  }
}

/** Rows of a chunk: large enough that its fixed costs do not matter, small enough for a worker's memory. */
export const IMPORT_CHUNK_ROWS = 5_000;
/** A checkpoint is due from this number of full chunks on; it writes all of them. */
const CHECKPOINT_CHUNKS = 16;
/** Maximum of chunks that wait for workers: about 20 s of work, and a few dozen megabytes in the database. */
export const MAX_CHUNKS_OPEN = 64;
const CHECKPOINT_REJECTS = 10_000;
const POLL_MS = 50;

/** Progress of the workers, reported while the import waits. */
export interface WorkersProgress {
  readonly rowsDone: number;
  readonly isStalled: boolean;
}

export interface ChunkWriterOptions {
  readonly pool: Pool;
  readonly fence: Fence;
  readonly importSpec: ImportSpec;
  /** Id of the data release that the next chunks are enriched with; null if there is none. */
  readonly releases: () => Promise<string | null>;
  readonly chunkRows?: number;
  readonly signal?: AbortSignal;
  /** Called at each poll while the import waits for workers. */
  readonly onWait?: (progress: WorkersProgress) => void;
  /** Time without progress after which missing workers are reported. */
  readonly stalledAfterMs?: number;
}

/**
 * Passes the records of an import to the workers. Records are buffered in memory. A checkpoint writes them, the
 * rejected lines and the position in one transaction under the lease: after a crash, the database has all records
 * before the last checkpoint once and none after it. A checkpoint waits for workers while the database would have more
 * than MAX_CHUNKS_OPEN unfinished chunks.
 */
export class ChunkWriter {
  private readonly batches: ImportBatches;
  private readonly imports: ImportRepository;
  private readonly stall: StallWatch;
  private builder: ChunkBuilder;
  private rejects: Reject[] = [];

  constructor(private readonly options: ChunkWriterOptions) {
    this.batches = new ImportBatches(options.pool);
    this.imports = new ImportRepository(options.pool);
    this.stall = new StallWatch(options.stalledAfterMs);
    this.builder = this.newBuilder();
  }

  /** @param bytes - has an import record from `from` to `to`, without its line end */
  add(bytes: Buffer, from = 0, to = bytes.length): void {
    this.builder.add(bytes, from, to);
  }

  /** Buffers an unreadable line. The next checkpoint stores it. */
  reject(line: number, code: string, record: string): void {
    this.rejects.push({ line, code, record });
  }

  /** True if enough records or rejected lines are buffered for a checkpoint. */
  get isDue(): boolean {
    return this.builder.waiting >= CHECKPOINT_CHUNKS || this.rejects.length >= CHECKPOINT_REJECTS;
  }

  /**
   * @param position - position in the text after all added records
   * @param also - further writes of the same transaction
   * @throws StaleFenceError if another process has taken over the import; ImportError `batch_failed`, `disk_full`,
   *   `no_release`; the reason of the signal
   */
  async checkpoint(position: ImportPosition, also?: (client: PoolClient) => Promise<void>): Promise<void> {
    const { pool, fence, importSpec } = this.options;
    const { rows: kept } = this.builder;
    const chunks = await this.takeChunks();
    if (chunks.length > 0) await this.waitForRoom(chunks.length);
    const releaseId = chunks.length > 0 ? await this.release() : '';
    await inTransaction(pool, async (client) => {
      await holdLease(client, fence);
      await this.imports.advance(client, fence, importSpec.importId, position, { kept, rejected: this.rejects.length });
      if (chunks.length > 0) await this.batches.insert(client, { importSpec, releaseId, chunks });
      await insertRejects(client, importSpec.importId, this.rejects);
      await also?.(client);
    });
    this.builder = this.newBuilder();
    this.rejects = [];
  }

  /** Waits until workers have finished all chunks. @throws ImportError `batch_failed`, `disk_full` */
  drain(): Promise<void> {
    return this.wait(({ chunksTotal, chunksDone }) => chunksDone === chunksTotal);
  }

  /** Chunks of the records added since the last checkpoint, compressed. */
  private async takeChunks(): Promise<BuiltChunk[]> {
    this.builder.finish();
    const chunks: BuiltChunk[] = [];
    for (let next = this.builder.take(); next; next = this.builder.take()) chunks.push(await next);
    return chunks;
  }

  private waitForRoom(chunks: number): Promise<void> {
    const free = Math.max(0, MAX_CHUNKS_OPEN - chunks); // more chunks than the limit are written at once if none is open
    return this.wait(({ chunksTotal, chunksDone }) => chunksTotal - chunksDone <= free);
  }

  private async wait(isOver: (progress: ImportBatchesProgress) => boolean): Promise<void> {
    const { importSpec, signal, onWait } = this.options;
    this.stall.reset();
    for (;;) {
      signal?.throwIfAborted();
      const progress = await this.batches.progress(importSpec.importId);
      if (progress.errorCode === 'disk_full') throw diskFullError();
      if (progress.errorCode !== null)
        throw new ImportError('batch_failed', `workers gave up on a part of the import: ${progress.errorCode}`, {
          reason: progress.errorCode,
        });
      onWait?.({ rowsDone: progress.rowsDone, isStalled: this.stall.hasStalled(progress.chunksDone) });
      if (isOver(progress)) return;
      await pause(POLL_MS);
    }
  }

  private async release(): Promise<string> {
    const id = await this.options.releases();
    if (id === null) throw new ImportError('no_release', 'there is no active data release to enrich with');
    return id;
  }

  private newBuilder(): ChunkBuilder {
    return new ChunkBuilder(this.options.chunkRows ?? IMPORT_CHUNK_ROWS);
  }
}
