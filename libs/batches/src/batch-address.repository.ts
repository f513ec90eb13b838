import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, SQL_RETENTION_START, sqlIsOlder } from '@donorlens/database';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { type Batch } from './batch';
import { SQL_ENDS_NOW, SQL_OPEN } from './batch-state';

/** An address with its outcome. */
export interface GeocodedAddress {
  readonly key: Buffer;
  readonly outcome: GeocodeOutcome;
}

/** Rows of a batch whose addresses got their outcome together. */
interface GeocodedRows {
  batch_id: string;
  match: number;
  no_match: number;
  tie: number;
  partial: number;
}

/** A geocoder that has never answered is probably unreachable: no batch waits longer for it. */
const NEVER_ANSWERED_SECONDS = 60;

const timeoutOf = (timeoutSeconds: number, hasAnswered: boolean): number =>
  hasAnswered ? timeoutSeconds : Math.min(timeoutSeconds, NEVER_ANSWERED_SECONDS);

/**
 * Time at which a running batch completes without its addresses if none gets its outcome until then. Null before all
 * rows are enriched, and in any other state.
 * @param hasAnswered - whether the geocoder has ever answered
 */
export function geocodingTimeoutAt(
  { state, enrichedAt, geocodedAt }: Pick<Batch, 'state' | 'enrichedAt' | 'geocodedAt'>,
  timeoutSeconds: number,
  hasAnswered: boolean,
): Date | null {
  if (state !== 'running' || enrichedAt === null) return null;
  const since = Math.max(enrichedAt.getTime(), geocodedAt?.getTime() ?? 0);
  return new Date(since + 1000 * timeoutOf(timeoutSeconds, hasAnswered));
}

/** Batches whose rows are enriched and wait for addresses. */
@Injectable()
export class BatchAddresses {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Applies the outcomes to the counters of all batches with rows that wait for these addresses, and completes batches
   * without further work. Runs in the transaction that stores the outcomes, after the pending addresses were deleted, and
   * close to its end: every transaction locks batches last, and several in the order of their ids.
   */
  async applyOutcomes(client: PoolClient, geocoded: readonly GeocodedAddress[]): Promise<void> {
    if (geocoded.length === 0) return;
    const { rows } = await client.query<GeocodedRows>(DELETE_WAITS, [
      geocoded.map(({ key }) => key),
      geocoded.map(({ outcome }) => GEOCODE_OUTCOMES.indexOf(outcome)),
    ]);
    if (rows.length === 0) return;
    const ids = rows.map((row) => row.batch_id);
    await client.query('select 1 from batch where id = any($1::uuid[]) order by id for no key update', [ids]);
    await client.query(MOVE_ROWS, [
      ids,
      rows.map(({ match }) => match),
      rows.map(({ no_match: noMatch }) => noMatch),
      rows.map(({ tie }) => tie),
      rows.map(({ partial }) => partial),
    ]);
  }

  /**
   * Completes batches that only wait for addresses, after a time without an outcome. Their rows stay pending, and are
   * still updated when the outcomes arrive.
   * @param timeoutSeconds - since the last chunk, or the last address of the batch that got its outcome
   * @returns batches completed
   */
  async completeTimedOut(timeoutSeconds: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update batch set state = 'completed', ${SQL_ENDS_NOW}
       where id in (
         select b.id from batch b, geocoder g
         where b.state = 'running' and b.pending_rows > 0 and b.chunks_done = b.chunks_total
           and ${sqlIsOlder('greatest(b.enriched_at, b.located_at)', 'case when g.last_answer_at is null then $2::int else $1::int end')}
         for no key update of b skip locked)`,
      [timeoutOf(timeoutSeconds, true), timeoutOf(timeoutSeconds, false)],
    );
    return rowCount ?? 0;
  }
}

/** Not a prepared statement: a plan made while no rows waited would read all waits. */
const DELETE_WAITS = `
  with geocoded as (
    select * from unnest($1::bytea[], $2::smallint[]) as l (address_key, outcome)
  ), erased as (
    delete from location_wait w using geocoded l where w.address_key = l.address_key
    returning w.batch_id, w.rows, w.ok_rows, l.outcome
  )
  select batch_id,
         coalesce(sum(rows) filter (where outcome = 0), 0)::int as match,
         coalesce(sum(rows) filter (where outcome = 1), 0)::int as no_match,
         coalesce(sum(rows) filter (where outcome = 2), 0)::int as tie,
         coalesce(sum(ok_rows) filter (where outcome > 0), 0)::int as partial
  from erased group by batch_id`;

const ENDS = `b.state in ${SQL_OPEN} and b.chunks_done = b.chunks_total
              and b.pending_rows = s.match + s.no_match + s.tie`;

/** Counters of an expired batch do not change. If a batch completes, the commit waits for the disk in any case. */
const MOVE_ROWS = `
  update batch b
  set match_rows = b.match_rows + s.match, no_match_rows = b.no_match_rows + s.no_match,
      tie_rows = b.tie_rows + s.tie, pending_rows = b.pending_rows - s.match - s.no_match - s.tie,
      ok_rows = b.ok_rows - s.partial, partial_rows = b.partial_rows + s.partial, located_at = now(),
      state = case when ${ENDS} then 'completed' else b.state end,
      finished_at = case when ${ENDS} then now() else b.finished_at end,
      expires_at = case when ${ENDS} then ${SQL_RETENTION_START} + (b.expires_at - b.created_at) else b.expires_at end
  from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[]) as s (batch_id, match, no_match, tie, partial)
  where b.id = s.batch_id and b.state <> 'expired'
  returning case when b.state = 'completed' then set_config('synchronous_commit', 'on', true) end`;
