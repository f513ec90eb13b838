import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type Batch } from './batch';

export interface BatchPage {
  readonly batches: readonly Batch[];
  /** Pass it back as `after` for the next page; null on the last. */
  readonly next: string | null;
}

@Injectable()
export class BatchRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  get(_apiKeyId: string, _id: string): Promise<Batch | null> {
    throw new Error('not built yet');
  }

  list(_apiKeyId: string, _page: { limit: number; after?: string | null }): Promise<BatchPage> {
    throw new Error('not built yet');
  }

  cancel(_apiKeyId: string, _id: string): Promise<Batch | null> {
    throw new Error('not built yet');
  }

  delete(_apiKeyId: string, _id: string): Promise<boolean> {
    throw new Error('not built yet');
  }

  expire(_limit?: number): Promise<number> {
    throw new Error('not built yet');
  }
}
