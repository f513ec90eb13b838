import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { GEOCODE_OUTCOMES } from '@donorlens/primitives';
import {
  ATTEMPTS_BEFORE_ERROR,
  type ApplyOutcomes,
  type CallOptions,
  type CallResults,
  type ClaimedCall,
  type StoredLocation,
} from './call';
import { formSingleCalls } from './call-forming.repository';
import { HELD, heldBy, lockHeld } from './call-lease.repository';
import { NO_COUNTS, lockGeocoderState, saveEnd } from './geocoder-state.repository';
import { afterAnswered, applyRetryAfter, backoffMs } from './rate-limiter';

/**
 * Stores the results of a call in one transaction: locations are inserted, their pending addresses deleted, the rows that
 * wait for them updated; ties wait for their candidates, and addresses without an answer stay in the call for a retry.
 *
 * The addresses are locked first. A transaction that requests one of them at this moment either holds it already: then
 * this one waits, and sees the rows that wait for it. Or it comes later: then it finds the location.
 * @returns false if the lease is lost: nothing is written then
 */
export async function commitCall(
  pool: Pool,
  options: CallOptions,
  call: ClaimedCall,
  results: CallResults,
  { apply, slotFreed }: { apply: ApplyOutcomes; slotFreed?: () => void },
): Promise<boolean> {
  if (!(await freeSlot(pool, call))) return false;
  slotFreed?.();
  try {
    return await inTransaction(pool, async (client) => {
      if ((await lockHeld(client, call)) === null) return false;
      const geocoded = await lockAddresses(client, call, results.geocoded);
      await storeLocations(client, geocoded, options.retryDays);
      await deleteAddresses(client, geocoded);
      await requestCandidates(client, results.ties);
      await countUnanswered(client, call, results);
      await endOrRetry(client, call, retryDelayMs(call, results));
      await apply(client, geocoded);
      await countAnswer(client, options, call, results);
      return true;
    });
  } catch (err) {
    if (await isStored(pool, call, results).catch(() => false)) return true;
    throw err;
  }
}

/**
 * The next call may run while this answer is stored. The mark uses the column that holds the time of the job while a call
 * waits. It need not survive a crash of the database.
 */
async function freeSlot(pool: Pool, call: ClaimedCall): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with unsynced as materialized (select set_config('synchronous_commit', 'off', true) as off)
     update geocode_call set enqueued_at = clock_timestamp() from unsynced where unsynced.off = 'off' and ${HELD}`,
    heldBy(call),
  );
  return rowCount === 1;
}

/**
 * Locks all addresses of the call in the order of their keys, which every transaction that locks several uses.
 * @returns the results whose address still exists
 */
async function lockAddresses(
  client: PoolClient,
  call: ClaimedCall,
  geocoded: readonly StoredLocation[],
): Promise<StoredLocation[]> {
  const { rows } = await client.query<{ address_key: Buffer }>(
    `select address_key from geocode_address where call_id = $1 order by address_key for update`,
    [call.id],
  );
  const locked = new Set(rows.map((row) => row.address_key.toString('latin1')));
  return geocoded.filter(({ key }) => locked.has(key.toString('latin1')));
}

/** Only a match with a county is stored for good. Others expire, and are requested again when they come up again. */
async function storeLocations(
  client: PoolClient,
  geocoded: readonly StoredLocation[],
  retryDays: number,
): Promise<void> {
  await client.query(
    `insert into location (address_key, outcome, is_exact, fips, tract, block, address_id, located_at, expires_at)
     select address_key, outcome, is_exact, fips, tract, block, decode(address_id, 'hex'), now(),
            case when outcome <> 0 or fips is null then now() + make_interval(days => $8) end
     from unnest($1::bytea[], $2::smallint[], $3::boolean[], $4::text[], $5::text[], $6::text[], $7::text[])
       as found (address_key, outcome, is_exact, fips, tract, block, address_id)
     order by address_key
     on conflict (address_key) do update
       set outcome = excluded.outcome, is_exact = excluded.is_exact, fips = excluded.fips, tract = excluded.tract,
           block = excluded.block, address_id = excluded.address_id, located_at = excluded.located_at,
           expires_at = excluded.expires_at`,
    [
      geocoded.map(({ key }) => key),
      geocoded.map(({ outcome }) => GEOCODE_OUTCOMES.indexOf(outcome)),
      geocoded.map(({ isExact }) => isExact),
      geocoded.map(({ fips }) => fips),
      geocoded.map(({ tract }) => tract),
      geocoded.map(({ block }) => block),
      geocoded.map(({ addressId }) => addressId),
      retryDays,
    ],
  );
}

async function deleteAddresses(client: PoolClient, geocoded: readonly StoredLocation[]): Promise<void> {
  await client.query(`delete from geocode_address where address_key = any($1::bytea[])`, [
    geocoded.map(({ key }) => key),
  ]);
}

async function requestCandidates(client: PoolClient, ties: readonly Buffer[]): Promise<void> {
  if (ties.length === 0) return;
  await client.query(
    `update geocode_address set is_tie = true, call_id = null, failures = 0 where address_key = any($1::bytea[])`,
    [ties],
  );
}

/**
 * Others of the call were answered and these were not: that counts against each of them, and after five times it gets a
 * call of its own. If it fails there as well, it is an error. A truncated answer does not count against the rest.
 */
async function countUnanswered(client: PoolClient, call: ClaimedCall, results: CallResults): Promise<void> {
  const isCounted = ([, code]: [string, string]): boolean => call.kind === 'tie' || code !== 'truncated';
  const keys = [...results.unanswered].filter(isCounted).map(([key]) => Buffer.from(key, 'latin1'));
  if (keys.length === 0) return;
  const { rows } = await client.query<{ address_key: Buffer; failures: number }>(
    `update geocode_address set failures = least(failures + 1, $3)
     where address_key = any($1::bytea[]) and call_id = $2 returning address_key, failures`,
    [keys, call.id, ATTEMPTS_BEFORE_ERROR],
  );
  const failing = rows.filter(({ failures }) => failures === ATTEMPTS_BEFORE_ERROR).map((row) => row.address_key);
  if (failing.length > 0) await formSingleCalls(client, failing, retryDelayMs(call, results));
}

/** The same call requests the remaining addresses again, without failures: as a whole it was answered. */
async function endOrRetry(client: PoolClient, call: ClaimedCall, waitMs: number): Promise<void> {
  const { rowCount } = await client.query(
    `delete from geocode_call where id = $1 and not exists (select from geocode_address where call_id = $1)`,
    [call.id],
  );
  if (rowCount === 1) return;
  await client.query(
    `update geocode_call
     set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null, failures = 0, probes = 0,
         rows = (select count(*) from geocode_address where call_id = $1),
         not_before = clock_timestamp() + make_interval(secs => $2 / 1000.0)
     where id = $1`,
    [call.id, waitMs],
  );
}

/** Backoff of the address that was left out most often; 0 if the rest was not requested. */
function retryDelayMs({ addresses }: ClaimedCall, { unanswered }: CallResults): number {
  if (unanswered.size === 0) return 0;
  const leftOut = addresses.filter(({ key }) => unanswered.has(key.toString('latin1')));
  return backoffMs(leftOut.reduce((max, { failures }) => Math.max(max, failures + 1), 1));
}

/** Last in the transaction: every call locks this row at its start and its end. */
async function countAnswer(
  client: PoolClient,
  options: CallOptions,
  call: ClaimedCall,
  { geocoded, ties, retryAfter }: CallResults,
): Promise<void> {
  const { state, now } = await lockGeocoderState(client);
  const closed = afterAnswered(state, options);
  const after = retryAfter
    ? applyRetryAfter({ ...closed, callsPerMinute: state.callsPerMinute }, options, now, retryAfter.retryAfterMs)
    : closed;
  const counted =
    call.kind === 'tie'
      ? { ...NO_COUNTS, tieCalls: geocoded.length }
      : { ...NO_COUNTS, calls: 1, rowsSent: call.addresses.length, rowsAnswered: geocoded.length + ties.length };
  await saveEnd(client, after, null, counted);
}

/** True if a COMMIT whose answer was lost did succeed: then the lease and the addresses are gone. */
async function isStored(pool: Pool, call: ClaimedCall, { geocoded }: CallResults): Promise<boolean> {
  const { rows } = await pool.query<{ stored: boolean }>(
    `select not exists (select from geocode_call where id = $1 and lease_id = $2)
        and not exists (select from geocode_address where address_key = any($3::bytea[])) as stored`,
    [...heldBy(call), geocoded.map(({ key }) => key)],
  );
  return rows[0].stored;
}
