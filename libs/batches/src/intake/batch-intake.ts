import { Inject, Injectable } from '@nestjs/common';
import { type Readable } from 'node:stream';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { BATCH_OPTIONS, type BatchOptions } from '../batch-options';
import { CHUNK_HINT, type ChunkHint } from '../chunk-queue';
import { type AcceptedBatch, type BatchPreview, type IntakeRequest } from './intake-request';

@Injectable()
export class BatchIntake {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(BATCH_OPTIONS) private readonly options: BatchOptions,
    @Inject(CHUNK_HINT) private readonly queue: ChunkHint,
  ) {}

  accept(
    _request: IntakeRequest,
    _source: Readable | readonly unknown[],
    _signal?: AbortSignal,
  ): Promise<AcceptedBatch> {
    throw new Error('not built yet');
  }

  preview(_request: IntakeRequest, _source: Readable | readonly unknown[], _maxRows: number): Promise<BatchPreview> {
    throw new Error('not built yet');
  }
}
