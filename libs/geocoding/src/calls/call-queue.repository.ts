import { type Pool } from 'pg';
import { inTransaction, sqlIsOlder } from '@donorlens/database';
import { CALL_LEASE_OVER, type CallOptions, ERROR_RETRY_DUE } from './call';
import { BEST_PROBE, DUE, TIES_BESIDE, tieSlots } from './call-claim.repository';
import { readGeocoderState } from './geocoder-state.repository';
import { mayStart } from './rate-limiter';

interface ProbeRow {
  id: string;
  state: string;
}

/**
 * Calls that need a job now, those of ties last: none during a Retry-After, and one if an open circuit admits a probe.
 * Claiming decides how many of them run.
 */
export async function dueCalls(pool: Pool, options: CallOptions, limit: number): Promise<string[]> {
  const { state, now } = await readGeocoderState(pool);
  const verdict = mayStart({ ...state, tokens: 1 }, options, now, 0); // a call that waits for a token is due
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

/** Calls whose job was added longer ago than that and that no worker has taken: the queue may have lost it. */
export async function lostCalls(pool: Pool, seconds: number, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from geocode_call
     where state = 'queued' and ${sqlIsOlder('enqueued_at', '$1')}
     order by enqueued_at limit $2`,
    [seconds, limit],
  );
  return rows.map(({ id }) => id);
}

/** After the job was added. If a worker was faster, the call does not wait any more and stays as it is. */
export async function markCallsEnqueued(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    `update geocode_call set state = 'queued', enqueued_at = clock_timestamp()
     where id in (select id from geocode_call where id = any($1::bigint[]) and state in ('pending', 'queued')
                  for update skip locked)`,
    [ids],
  );
}

/** No call exists, no address is pending, and no error is due. */
export async function isIdle(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ idle: boolean }>(
    `select not exists (select from geocode_call)
        and (select true from geocode_address where call_id is null and error_code is null
             order by is_tie, ask_order, asked_at limit 1) is null
        and (select true from geocode_address where error_code is not null and ${ERROR_RETRY_DUE}
             order by retry_at limit 1) is null as idle`,
  );
  return rows[0].idle;
}

export interface RetriedCalls {
  /** Calls that were made due: queued ones, and those that waited for a retry. */
  readonly calls: number;
  /** The circuit was open: the next call is its probe, without the usual wait. */
  readonly isProbed: boolean;
  /** End of a Retry-After that is in force; null without one. */
  readonly pausedUntil: Date | null;
}

/** Lets the next call probe an open circuit that no call probes now, by setting its opening back. */
const PROBE = `
  update geocoder set circuit = jsonb_set(circuit, '{openedAt}', '1'), probed_at = null
  where circuit ->> 'openedAt' is not null
    and not exists (select from geocode_call where state = 'leased' and not ${CALL_LEASE_OVER} and enqueued_at is null)`;

/**
 * Retries failed calls at once: calls that wait for their next attempt are due now, those whose job may be lost get
 * another one, and an open circuit admits a probe. A Retry-After of the geocoder stays in force.
 */
export function retryFailedCalls(pool: Pool): Promise<RetriedCalls> {
  return inTransaction(pool, async (client) => {
    const { rowCount: calls } = await client.query(
      `update geocode_call set state = 'pending', not_before = null, enqueued_at = null
       where id in (select id from geocode_call
                    where state = 'queued' or (state = 'pending' and not_before > clock_timestamp())
                    order by id for update skip locked)`,
    );
    const { rowCount: probed } = await client.query(PROBE);
    const { rows } = await client.query<{ until: Date | null }>(
      'select case when closed_until > clock_timestamp() then closed_until end as until from geocoder',
    );
    return { calls: calls ?? 0, isProbed: probed === 1, pausedUntil: rows[0].until };
  });
}
