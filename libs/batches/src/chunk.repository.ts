import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type Tally } from '@donorlens/primitives';
import { type ChunkRef } from '@donorlens/queues';
import { type ClaimedChunk } from './claimed-chunk';

@Injectable()
export class ChunkRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  claim(_ref: ChunkRef, _leaseMs: number): Promise<ClaimedChunk | null> {
    throw new Error('not built yet');
  }

  commit(_chunk: ClaimedChunk, _copy: Buffer | readonly Buffer[], _tally: Tally): Promise<boolean> {
    throw new Error('not built yet');
  }

  extendLease(_chunk: ClaimedChunk, _leaseMs: number): Promise<boolean> {
    throw new Error('not built yet');
  }

  markSuspect(_chunk: ClaimedChunk, _rowNo: number, _leaseMs: number): Promise<boolean> {
    throw new Error('not built yet');
  }

  giveBack(_chunk: ClaimedChunk, _notBefore?: Date): Promise<void> {
    throw new Error('not built yet');
  }
}
