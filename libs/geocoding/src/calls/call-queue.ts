import { type Pool } from 'pg';
import { type CallOptions } from './call-options';
import { BEST_PROBE, DUE, TIES_BESIDE, tieSlots } from './claiming';
import { mayStart } from './gate';
import { readGate } from './geocoder-row';

interface ProbeRow {
  id: string;
  state: string;
}

/**
 * Calls that a job is to be added for now, those of ties last: none while the geocoder is to be left alone, and one where an open circuit
 * lets a probe through. How many of them then run is settled as they are claimed.
 */
export async function dueCalls(pool: Pool, options: CallOptions, limit: number): Promise<string[]> {
  const { state, now } = await readGate(pool);
  const verdict = mayStart({ ...state, tokens: 1 }, options, now, 0); // a call that has to wait for its turn is due
  if ('why' in verdict || limit < 1) return [];
  if (verdict.isProbe) {
    const { rows } = await pool.query<ProbeRow>(BEST_PROBE);
    return rows.filter((call) => call.state === 'pending').map(({ id }) => id);
  }
  const { rows } = await pool.query<{ id: string }>(
    `select id from geocode_call, (${TIES_BESIDE}) as beside
     where state = 'pending' and ${DUE}
       and (kind = 'batch' or not waits or ties < $2)
     order by kind = 'tie', id limit $1`,
    [limit, tieSlots(options.callsAtOnce)],
  );
  return rows.map(({ id }) => id);
}

/** Calls whose job was added longer ago than that and that nobody has taken: the queue may have lost it. */
export async function lostCalls(pool: Pool, seconds: number, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from geocode_call
     where state = 'queued' and enqueued_at < clock_timestamp() - make_interval(secs => $1)
     order by enqueued_at limit $2`,
    [seconds, limit],
  );
  return rows.map(({ id }) => id);
}

/** After the job was added. A worker may have been faster: then the call is not waiting any more, and stays as it is. */
export async function markCallsEnqueued(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    `update geocode_call set state = 'queued', enqueued_at = clock_timestamp()
     where id in (select id from geocode_call where id = any($1::bigint[]) and state in ('pending', 'queued')
                  for update skip locked)`,
    [ids],
  );
}

/** Nothing is asked, nothing waits to be, and no error is to be asked again yet. */
export async function isIdle(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ idle: boolean }>(
    `select not exists (select from geocode_call)
        and (select true from geocode_address where call_id is null and error_code is null
             order by is_tie, ask_order, asked_at limit 1) is null
        and (select true from geocode_address where error_code is not null and retry_at <= clock_timestamp()
             order by retry_at limit 1) is null as idle`,
  );
  return rows[0].idle;
}
