import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { type Batch } from './batch';
import { SQL_ENDS_NOW, SQL_OPEN } from './batch-state';

/** An address that now has its outcome. */
export interface LocatedAddress {
  readonly key: Buffer;
  readonly outcome: GeocodeOutcome;
}

/** Rows of a batch whose addresses got their outcome together. */
interface SettledRows {
  batch_id: string;
  match: number;
  no_match: number;
  tie: number;
  partial: number;
}

/** A geocoder that has never answered is more likely out of reach from here than down: nobody waits longer for it. */
const NEVER_ANSWERED_SECONDS = 60;

const patienceOf = (patienceSeconds: number, hasAnswered: boolean): number =>
  hasAnswered ? patienceSeconds : Math.min(patienceSeconds, NEVER_ANSWERED_SECONDS);

/**
 * Until when a batch waits for addresses of which none gets its outcome; null where its rows are still enriched.
 * @param hasAnswered whether the geocoder ever has
 */
export function waitsInVainUntil(
  { state, enrichedAt, locatedAt }: Pick<Batch, 'state' | 'enrichedAt' | 'locatedAt'>,
  patienceSeconds: number,
  hasAnswered: boolean,
): Date | null {
  if (state !== 'running' || enrichedAt === null) return null;
  const since = Math.max(enrichedAt.getTime(), locatedAt?.getTime() ?? 0);
  return new Date(since + 1000 * patienceOf(patienceSeconds, hasAnswered));
}

/** Batches whose rows are enriched, and that wait for addresses. */
@Injectable()
export class BatchAddresses {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Moves the rows that wait for these addresses to their outcome, in all batches, and completes those in which nothing
   * is left to be done. In the transaction that stores the outcomes, after the addresses were erased from those to be
   * asked; close to its end, for it locks batches, which everybody locks last, and several in the order of their ids.
   */
  async settle(client: PoolClient, located: readonly LocatedAddress[]): Promise<void> {
    if (located.length === 0) return;
    const { rows } = await client.query<SettledRows>(ERASE_WAITS, [
      located.map(({ key }) => key),
      located.map(({ outcome }) => GEOCODE_OUTCOMES.indexOf(outcome)),
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
   * Completes batches that only wait for addresses, and for so long have waited in vain. Their rows stay pending, and
   * are still filled in when the outcomes come.
   * @param patienceSeconds since the last chunk, or the last address of the batch that got its outcome
   * @returns               batches completed
   */
  async completeImpatient(patienceSeconds: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update batch set state = 'completed', ${SQL_ENDS_NOW}
       where id in (
         select b.id from batch b, geocoder g
         where b.state = 'running' and b.pending_rows > 0 and b.chunks_done = b.chunks_total
           and greatest(b.enriched_at, b.located_at) < now() - make_interval(secs =>
             case when g.last_answer_at is null then $2::int else $1::int end)
         for no key update of b skip locked)`,
      [patienceOf(patienceSeconds, true), patienceOf(patienceSeconds, false)],
    );
    return rowCount ?? 0;
  }
}

/** Planned each time: a plan made while nobody waited would read all who do. */
const ERASE_WAITS = `
  with located as (
    select * from unnest($1::bytea[], $2::smallint[]) as l (address_key, outcome)
  ), erased as (
    delete from location_wait w using located l where w.address_key = l.address_key
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

/** What an expired batch counted stays as it was. Whatever the transaction says otherwise, a batch that completes waits for the disk. */
const MOVE_ROWS = `
  update batch b
  set match_rows = b.match_rows + s.match, no_match_rows = b.no_match_rows + s.no_match,
      tie_rows = b.tie_rows + s.tie, pending_rows = b.pending_rows - s.match - s.no_match - s.tie,
      ok_rows = b.ok_rows - s.partial, partial_rows = b.partial_rows + s.partial, located_at = now(),
      state = case when ${ENDS} then 'completed' else b.state end,
      finished_at = case when ${ENDS} then now() else b.finished_at end,
      expires_at = case when ${ENDS} then now() + (b.expires_at - b.created_at) else b.expires_at end
  from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::int[]) as s (batch_id, match, no_match, tie, partial)
  where b.id = s.batch_id and b.state <> 'expired'
  returning case when b.state = 'completed' then set_config('synchronous_commit', 'on', true) end`;
