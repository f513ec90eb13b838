import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { AT_A_TIME, SINGLE_REQUESTS, eraseAddresses } from './let-go';

/** Addresses of single requests that may wait at a time. Beyond, none is asked for: a batch is the way for so many. */
export const MOST_OF_SINGLE_REQUESTS = 100_000;

/** Addresses of requests that were answered without them. Nobody is told of their outcomes: they are for the next request. */
@Injectable()
export class SingleRequests {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** How many more may be asked for. Reads an index, as far as there are so many. */
  async room(): Promise<number> {
    const { rows } = await this.pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from (select 1 from geocode_address where asked_by = $1 limit $2) as waiting`,
      [SINGLE_REQUESTS, MOST_OF_SINGLE_REQUESTS],
    );
    return MOST_OF_SINGLE_REQUESTS - rows[0].waiting;
  }

  /**
   * Erases, slice by slice, what was asked for so long ago without an outcome, unless it travels in a call. One that a
   * batch waits for or a contribution has is theirs from then on.
   * @returns addresses erased
   */
  async expire(hours: number, signal?: AbortSignal): Promise<number> {
    let erased = 0;
    for (let asked = AT_A_TIME; asked === AT_A_TIME && !signal?.aborted;) {
      const done = await eraseAddresses(this.pool, EXPIRED, [SINGLE_REQUESTS, hours]);
      asked = done.asked;
      erased += done.gone;
    }
    return erased;
  }
}

const EXPIRED = 'asked_by = $1 and asked_at < now() - make_interval(hours => $2) and call_id is null';
