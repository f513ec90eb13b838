import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { blame, lockAddresses, putBack } from './blaming';
import { type CallOptions, TRIES_BEFORE_ERROR } from './call-options';
import { type CallFault, isToldToWait } from './call-results';
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
  const isTold = isToldToWait(fault);
  return inTransaction(pool, async (client) => {
    const row = await lockHeld(client, call);
    if (row === null) return false;
    await lockAddresses(client, call.id); // now, for nothing is waited for once the gate is locked
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
     ), alone as materialized (
       select a.address_key, free.failures from free join geocode_address a on a.call_id = free.id
       where free.rows = 1 and a.failures < $2 for update of a skip locked
     ), eased as (
       update geocode_address a set failures = greatest(a.failures - alone.failures, 0)
       from alone where a.address_key = alone.address_key
     )
     update geocode_call c set failures = greatest(c.failures - free.failures, 0) from free where c.id = free.id`,
    [callIds, TRIES_BEFORE_ERROR],
  );
  return lockHeld(client, call);
}
