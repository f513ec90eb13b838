import { type PoolClient } from 'pg';
import { backoffMs } from './backoff';
import { ERROR_RETRY_HOURS, TRIES_BEFORE_ERROR, TRIES_BEFORE_SPLIT } from './call-options';
import { type ClaimedCall } from './claimed-call';
import { type CallRow, planByKey } from './held-call';

/** A call that was tried, and is held by this transaction. */
export type TriedCall = Pick<ClaimedCall, 'id' | 'isProbe'>;

/** In the order of their keys, as everybody does who locks several. */
export async function lockAddresses(client: PoolClient, callId: string): Promise<void> {
  await client.query(`select 1 from geocode_address where call_id = $1 order by address_key for no key update`, [
    callId,
  ]);
}

interface Blame {
  readonly counts: boolean;
  readonly code: string;
}

/** Counts the failure, and does what follows from it. */
export async function blame(client: PoolClient, call: TriedCall, row: CallRow, { counts, code }: Blame): Promise<void> {
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
export async function putBack(
  client: PoolClient,
  call: TriedCall,
  row: CallRow,
  code: string,
  afterMs: number,
): Promise<void> {
  await client.query(
    `update geocode_call
     set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null, failures = $2, probes = $3, last_error = $4,
         not_before = clock_timestamp() + make_interval(secs => $5 / 1000.0)
     where id = $1`,
    [call.id, row.failures, row.probes, code, afterMs],
  );
}

/**
 * Counts the failure of an address that travels alone. One that was an error before is one again at once, whatever the
 * circuit: else it would be tried for ever, as the probe that keeps the circuit open.
 */
async function becameError(client: PoolClient, call: TriedCall, counts: boolean, code: string): Promise<boolean> {
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
async function split(client: PoolClient, call: TriedCall, row: CallRow, code: string): Promise<void> {
  const first = Math.ceil(row.rows / 2);
  await planByKey(client);
  await client.query(
    `with ordered as materialized (
       select address_key, row_number() over (order by ask_order, address_key) as nth from geocode_address where call_id = $1
     ), half as (
       insert into geocode_call (kind, benchmark, vintage, rows, last_error)
       select kind, benchmark, vintage, $3, $4 from geocode_call where id = $1 returning id
     ), kept as (
       update geocode_call
       set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null, not_before = null, failures = 0, probes = 0,
           rows = $2, last_error = $4
       where id = $1
     )
     update geocode_address a
     set call_id = case when o.nth > $2 then half.id else a.call_id end,
         failures = case when (o.nth > $2 and $3 = 1) or (o.nth <= $2 and $2 = 1) then greatest(a.failures, $5)
                         else a.failures end
     from ordered o, half where a.address_key = o.address_key`,
    [call.id, first, row.rows - first, code, row.failures],
  );
}
