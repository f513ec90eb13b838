import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { backoffMs } from './backoff';
import { type CallOptions, ERROR_RETRY_HOURS, TRIES_BEFORE_ERROR, TRIES_BEFORE_SPLIT } from './call-options';
import { type CallFault } from './call-results';
import { type ClaimedCall } from './claimed-call';
import { failed, toldToWait } from './gate';
import { NOTHING, lockGate, saveEnd } from './geocoder-row';
import { type CallRow, lockHeld } from './held-call';

/**
 * Lets go of a call of which nothing was answered. While the circuit is closed the failure counts against the call: it is
 * tried again later, cut in halves after three times, and an address alone is an error after five. What fails while the
 * circuit is open, or opens it, was the geocoder's doing and counts against nobody; nor does being told to wait.
 * @returns false where the lease is lost: nothing is written then
 */
export async function failCall(
  pool: Pool,
  options: CallOptions,
  call: ClaimedCall,
  fault: CallFault,
): Promise<boolean> {
  const isTold = fault.retryAfterMs !== null || fault.code === 'rate_limited';
  return inTransaction(pool, async (client) => {
    const row = await lockHeld(client, call);
    if (row === null) return false;
    const { state, now } = await lockGate(client);
    const counted = { ...NOTHING, callsFailed: 1 };
    if (isTold) {
      await saveEnd(client, toldToWait(state, options, now, fault.retryAfterMs), fault.code, counted);
      await putBack(client, call, row, fault.code, 0);
      return true;
    }
    const failure = await failed(state, call, now);
    await saveEnd(client, failure.state, fault.code, counted);
    const tries = await forgive(client, call, failure.forgiven);
    await blame(client, call, tries ?? row, { counts: failure.counts, code: fault.code });
    return true;
  });
}

interface Blame {
  readonly counts: boolean;
  readonly code: string;
}

/** Counts the failure, and does what follows from it. */
async function blame(client: PoolClient, call: ClaimedCall, row: CallRow, { counts, code }: Blame): Promise<void> {
  const tried = {
    rows: row.rows,
    failures: row.failures + (counts ? 1 : 0),
    probes: row.probes + (call.isProbe && !counts ? 1 : 0),
  };
  if (row.rows === 1) {
    if (await becameError(client, call, counts, code)) return;
  } else if (tried.failures >= TRIES_BEFORE_SPLIT || tried.probes >= TRIES_BEFORE_SPLIT) {
    return split(client, call, tried, code);
  }
  await putBack(client, call, tried, code, counts ? backoffMs(tried.failures) : 0);
}

/** Where the circuit is open nothing needs to say when the call may start: the gate does. */
async function putBack(
  client: PoolClient,
  call: ClaimedCall,
  row: CallRow,
  code: string,
  afterMs: number,
): Promise<void> {
  await client.query(
    `update geocode_call
     set state = 'pending', lease_id = null, lease_until = null, failures = $2, probes = $3, last_error = $4,
         not_before = clock_timestamp() + make_interval(secs => $5 / 1000.0)
     where id = $1`,
    [call.id, row.failures, row.probes, code, afterMs],
  );
}

/**
 * Counts the failure of an address that travels alone. One that was an error before is one again at once, whatever the
 * circuit: else it would be tried for ever, as the probe that keeps the circuit open.
 */
async function becameError(client: PoolClient, call: ClaimedCall, counts: boolean, code: string): Promise<boolean> {
  const { rows } = await client.query<{ failures: number }>(
    `update geocode_address set failures = least(failures + $2, $3) where call_id = $1 returning failures`,
    [call.id, counts ? 1 : 0, TRIES_BEFORE_ERROR],
  );
  if (rows.length > 0 && rows[0].failures < TRIES_BEFORE_ERROR) return false;
  await client.query(
    `update geocode_address
     set call_id = null, error_code = $2, retry_at = clock_timestamp() + make_interval(hours => $3) where call_id = $1`,
    [call.id, code, ERROR_RETRY_HOURS],
  );
  await client.query(`delete from geocode_call where id = $1`, [call.id]);
  return true;
}

/**
 * In halves, both as if never tried. A half that is one address has been tried, though: as one of two or three. That
 * much is known of it, and counts when nothing else is left to be answered in between.
 */
async function split(client: PoolClient, call: ClaimedCall, row: CallRow, code: string): Promise<void> {
  const first = Math.ceil(row.rows / 2);
  await client.query(
    `with ordered as materialized (
       select address_key, row_number() over (order by ask_order, address_key) as nth from geocode_address where call_id = $1
     ), half as (
       insert into geocode_call (kind, rows, last_error) values ($2, $4, $5) returning id
     ), kept as (
       update geocode_call
       set state = 'pending', lease_id = null, lease_until = null, not_before = null, failures = 0, probes = 0,
           rows = $3, last_error = $5
       where id = $1
     )
     update geocode_address a
     set call_id = case when o.nth > $3 then half.id else a.call_id end,
         failures = case when (o.nth > $3 and $4 = 1) or (o.nth <= $3 and $3 = 1) then greatest(a.failures, $6)
                         else a.failures end
     from ordered o, half where a.address_key = o.address_key`,
    [call.id, call.kind, first, row.rows - first, code, row.failures],
  );
}

/**
 * Takes back failures that the opening of the circuit has shown to be the geocoder's. A call that is locked is about to
 * end by itself.
 * @returns the failed call as it is then; null where there is nothing to take back
 */
async function forgive(client: PoolClient, call: ClaimedCall, callIds: readonly string[]): Promise<CallRow | null> {
  if (callIds.length === 0) return null;
  await client.query(
    `with taken as (
       select id::bigint, count(*)::int as failures from unnest($1::text[]) as id group by id
     ), free as materialized (
       select c.id, c.rows, t.failures from geocode_call c join taken t on t.id = c.id for update of c skip locked
     ), alone as (
       update geocode_address a set failures = greatest(a.failures - free.failures, 0)
       from free where free.rows = 1 and a.call_id = free.id and a.failures < $2
     )
     update geocode_call c set failures = greatest(c.failures - free.failures, 0) from free where c.id = free.id`,
    [callIds, TRIES_BEFORE_ERROR],
  );
  return lockHeld(client, call);
}
