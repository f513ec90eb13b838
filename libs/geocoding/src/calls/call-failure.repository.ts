import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import {
  ATTEMPTS_BEFORE_ERROR,
  ATTEMPTS_BEFORE_SPLIT,
  CALL_LEASE_OVER,
  type CallFault,
  type CallOptions,
  type ClaimedCall,
  ERROR_RETRY_HOURS,
  isRateLimitFault,
} from './call';
import { type CallRow, lockHeld, planByKey } from './call-lease.repository';
import { NO_COUNTS, lockGeocoderState, readGeocoderState, saveEnd } from './geocoder-state.repository';
import { afterFailed, applyRetryAfter, backoffMs } from './rate-limiter';

/**
 * Records a call without any answer. While the circuit is closed the failure counts against the call: it is retried
 * later, split in halves after three failures, and an address alone is an error after five. A failure while the circuit
 * is open, or that opens it, is attributed to the geocoder and counts against no call; neither does a Retry-After.
 * @returns false if the lease is lost: nothing is written then
 */
export async function failCall(
  pool: Pool,
  options: CallOptions,
  call: ClaimedCall,
  fault: CallFault,
): Promise<boolean> {
  const isBlocked = isRateLimitFault(fault);
  return inTransaction(pool, async (client) => {
    const row = await lockHeld(client, call);
    if (row === null) return false;
    await lockAddresses(client, call.id); // now, because the geocoder's row is the last lock
    const { state, now } = await lockGeocoderState(client);
    const counted = { ...NO_COUNTS, callsFailed: 1 };
    if (isBlocked) {
      await saveEnd(client, applyRetryAfter(state, options, now, fault.retryAfterMs), fault.code, counted);
      await deferRetry(client, call, row, fault.code, 0);
      return true;
    }
    const failure = afterFailed(state, call, now);
    await saveEnd(client, failure.state, fault.code, counted);
    const current = await resetFailures(client, call, failure.reset);
    await recordFailure(client, call, current ?? row, { isCounted: failure.isCounted, code: fault.code });
    return true;
  });
}

/**
 * Subtracts failures that the opening of the circuit has attributed to the geocoder. A locked call is skipped, as it is
 * about to end.
 * @returns the failed call as it is then; null if there is nothing to reset
 */
async function resetFailures(
  client: PoolClient,
  call: ClaimedCall,
  callIds: readonly string[],
): Promise<CallRow | null> {
  if (callIds.length === 0) return null;
  await client.query(
    `with taken as (
       select id::bigint, count(*)::int as failures from unnest($1::text[]) as id group by id
     ), free as materialized (
       select c.id, c.rows, t.failures from geocode_call c join taken t on t.id = c.id for update of c skip locked
     ), alone as materialized (
       select a.address_key, free.failures from free join geocode_address a on a.call_id = free.id
       where free.rows = 1 and a.failures < $2 for update of a skip locked
     ), eased as (
       update geocode_address a set failures = greatest(a.failures - alone.failures, 0)
       from alone where a.address_key = alone.address_key
     )
     update geocode_call c set failures = greatest(c.failures - free.failures, 0) from free where c.id = free.id`,
    [callIds, ATTEMPTS_BEFORE_ERROR],
  );
  return lockHeld(client, call);
}

interface ExpiredCall {
  readonly id: string;
  readonly lease_id: string;
}

/**
 * Releases calls whose lease has expired. The call may have crashed its worker, so this counts as a failure of the
 * call, or as a failed probe while the circuit is open, and ends with the one address that crashes workers. The circuit
 * does not change.
 * @returns calls released
 */
export async function freeExpiredCalls(pool: Pool): Promise<number> {
  const { rows } = await pool.query<ExpiredCall>(
    `select id, lease_id from geocode_call where state = 'leased' and ${CALL_LEASE_OVER}`,
  );
  if (rows.length === 0) return 0;
  const isOpen = typeof (await readGeocoderState(pool)).state.circuit?.openedAt === 'number';
  let freed = 0;
  for (const expired of rows) if (await inTransaction(pool, (client) => free(client, expired, isOpen))) freed++;
  return freed;
}

/** Unless its worker has resumed and holds the call at this moment. */
async function free(client: PoolClient, { id, lease_id: leaseId }: ExpiredCall, isOpen: boolean): Promise<boolean> {
  const { rows } = await client.query<CallRow>(
    `select rows, failures, probes from geocode_call
     where id = $1 and lease_id = $2 and state = 'leased' and ${CALL_LEASE_OVER} for update skip locked`,
    [id, leaseId],
  );
  if (rows.length === 0) return false;
  await lockAddresses(client, id);
  await recordFailure(client, { id, isProbe: isOpen }, rows[0], { isCounted: !isOpen, code: 'worker_lost' });
  return true;
}

/** A call that was attempted, and is locked by this transaction. */
type AttemptedCall = Pick<ClaimedCall, 'id' | 'isProbe'>;

/** In the order of their keys, as every transaction that locks several, so that none deadlock. */
async function lockAddresses(client: PoolClient, callId: string): Promise<void> {
  await client.query(`select 1 from geocode_address where call_id = $1 order by address_key for no key update`, [
    callId,
  ]);
}

interface FailureRecord {
  readonly isCounted: boolean;
  readonly code: string;
}

/** Counts the failure; then the call is retried, split, or its single address becomes an error. */
async function recordFailure(
  client: PoolClient,
  call: AttemptedCall,
  row: CallRow,
  { isCounted, code }: FailureRecord,
): Promise<void> {
  const attempted = {
    rows: row.rows,
    failures: row.failures + (isCounted ? 1 : 0),
    probes: row.probes + (call.isProbe && !isCounted ? 1 : 0),
  };
  if (row.rows === 1) {
    if (await recordAddressFailure(client, call, isCounted, code)) return;
  } else if (attempted.failures >= ATTEMPTS_BEFORE_SPLIT || attempted.probes >= ATTEMPTS_BEFORE_SPLIT) {
    return split(client, call, attempted, code);
  }
  await deferRetry(client, call, attempted, code, isCounted ? backoffMs(attempted.failures) : 0);
}

/** While the circuit is open the rate limiter decides when the call may start; it needs no time of its own. */
async function deferRetry(
  client: PoolClient,
  call: AttemptedCall,
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
 * Counts the failure of an address that is alone in its call. One that was an error before is one again at once, whatever
 * the circuit: else it would be retried forever, as the probe that keeps the circuit open.
 * @returns true if the address is now an error
 */
async function recordAddressFailure(
  client: PoolClient,
  call: AttemptedCall,
  isCounted: boolean,
  code: string,
): Promise<boolean> {
  const { rows } = await client.query<{ failures: number }>(
    `update geocode_address set failures = least(failures + $2, $3) where call_id = $1 returning failures`,
    [call.id, isCounted ? 1 : 0, ATTEMPTS_BEFORE_ERROR],
  );
  if (rows.length > 0 && rows[0].failures < ATTEMPTS_BEFORE_ERROR) return false;
  await client.query(
    `update geocode_address
     set call_id = null, error_code = $2, retry_at = clock_timestamp() + make_interval(hours => $3) where call_id = $1`,
    [call.id, code, ERROR_RETRY_HOURS],
  );
  await client.query(`delete from geocode_call where id = $1`, [call.id]);
  return true;
}

/**
 * Splits a call into two without failures. A half with one address passes the failures of the call to that address, which
 * then needs fewer attempts to become an error.
 */
async function split(client: PoolClient, call: AttemptedCall, row: CallRow, code: string): Promise<void> {
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
