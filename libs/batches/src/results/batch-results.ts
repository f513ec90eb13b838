import { Inject, Injectable } from '@nestjs/common';
import { type Readable } from 'node:stream';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type Batch } from '../batch';

export interface ResultsOptions {
  readonly format: 'csv' | 'ndjson' | 'json';
  /** Leave the formula guard off: text exactly as sent. */
  readonly raw?: boolean;
  /** Give the rows that are there although the batch has not finished. */
  readonly partial?: boolean;
  /** Name of a county in the batch's data release. */
  readonly countyName?: (fips: string) => string | null;
}

/** Results are asked for before they are complete, or after they were erased. */
export class ResultsNotReadyError extends Error {}

@Injectable()
export class BatchResults {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  stream(_batch: Batch, _options: ResultsOptions): Promise<Readable> {
    throw new Error('not built yet');
  }

  errorsStream(_batch: Batch, _options: Pick<ResultsOptions, 'format' | 'raw'>): Promise<Readable> {
    throw new Error('not built yet');
  }
}
