import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type ChunkQueue } from './chunk-queue';

/** What one tick found and did. */
export interface ReconcilerReport {
  readonly leasesExpired: number;
  readonly enqueued: number;
  readonly chunksCancelled: number;
  readonly batchesFinished: number;
  readonly batchesExpired: number;
  /** Batches whose counters do not agree with their chunks: must be 0. */
  readonly violations: number;
}

@Injectable()
export class Reconciler {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  tick(_queue: ChunkQueue): Promise<ReconcilerReport> {
    throw new Error('not built yet');
  }
}
