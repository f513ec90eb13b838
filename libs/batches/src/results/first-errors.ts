import { Inject, Injectable } from '@nestjs/common';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { type Batch } from '../batch';
import { messageOf } from './error-rows';

/** Bounds the search: where the first so many rows are all well, only the file of errors shows the others. */
const ROWS_LOOKED_AT = 100_000;

/** A row without an answer. */
export interface ErrorRow {
  /** Counts the caller's items from 1. */
  readonly row: number;
  readonly code: string;
  readonly message: string;
  /** The item as it was sent; CSV as comma records. */
  readonly source: string;
}

/** The first rows of a batch that have no answer, for a person to look at. */
@Injectable()
export class FirstErrors {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  async of({ id, tally }: Batch, most: number): Promise<readonly ErrorRow[]> {
    if (tally.invalid + tally.failed === 0) return [];
    const { rows } = await this.pool.query<{ row: number; code: string; source: string | null }>(
      `select row_no as row, coalesce(error_code, '') as code, source from result
       where batch_id = $1 and row_no <= $2 and outcome in (3, 4) order by row_no limit $3`,
      [id, ROWS_LOOKED_AT, most],
    );
    return rows.map(({ row, code, source }) => ({ row, code, message: messageOf(code), source: source ?? '' }));
  }
}
