import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { GEOCODE_OUTCOMES } from '@donorlens/primitives';
import { backoffMs } from './backoff';
import { type CallOptions, TRIES_BEFORE_ERROR } from './call-options';
import { type CallResults, type Settle } from './call-results';
import { type ClaimedCall } from './claimed-call';
import { answered, toldToWait } from './gate';
import { NOTHING, lockGate, saveEnd } from './geocoder-row';
import { HELD, heldBy, lockHeld } from './held-call';
import { formSingleCalls } from './single-calls';
import { type StoredLocation } from './stored-location';

/**
 * Stores what a call found, in one transaction: locations come, their addresses are erased, whoever waits is told, ties
 * wait for their candidates, and what has no answer stays in the call for its next try.
 *
 * First the addresses are locked. Whoever asks for one at this moment either holds it already: then this waits, and
 * sees who waits for it. Or comes after: then it finds the location in the address's place.
 * @returns false where the lease is lost: nothing is written then
 */
export async function commitCall(
  pool: Pool,
  options: CallOptions,
  call: ClaimedCall,
  results: CallResults,
  { settle, slotLeft }: { settle: Settle; slotLeft?: () => void },
): Promise<boolean> {
  if (!(await leaveSlot(pool, call))) return false;
  slotLeft?.();
  try {
    return await inTransaction(pool, async (client) => {
      if ((await lockHeld(client, call)) === null) return false;
      const located = await lockLocated(client, call, results.located);
      await storeLocations(client, located, options.retryDays);
      await eraseAddresses(client, located);
      await keepTies(client, results.ties);
      await keepUnanswered(client, call, results);
      await endOrGoOn(client, call, waitBefore(call, results));
      await settle(client, located);
      await countAnswer(client, options, call, results);
      return true;
    });
  } catch (err) {
    if (await isStored(pool, call, results).catch(() => false)) return true;
    throw err;
  }
}

/**
 * The answer is here: the next call may run while this one is stored. The mark is where a call that waits has the time of
 * its job. It need not outlive a crash of the database.
 */
async function leaveSlot(pool: Pool, call: ClaimedCall): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with unsynced as materialized (select set_config('synchronous_commit', 'off', true) as off)
     update geocode_call set enqueued_at = clock_timestamp() from unsynced where unsynced.off = 'off' and ${HELD}`,
    heldBy(call),
  );
  return rowCount === 1;
}

/** All addresses of the call, in the order of their keys: whoever locks several does so in this order. */
async function lockLocated(
  client: PoolClient,
  call: ClaimedCall,
  located: readonly StoredLocation[],
): Promise<StoredLocation[]> {
  const { rows } = await client.query<{ address_key: Buffer }>(
    `select address_key from geocode_address where call_id = $1 order by address_key for update`,
    [call.id],
  );
  const locked = new Set(rows.map((row) => row.address_key.toString('latin1')));
  return located.filter(({ key }) => locked.has(key.toString('latin1')));
}

/** Only a match with its county is kept for good: the rest is asked again some day, when it comes again. */
async function storeLocations(
  client: PoolClient,
  located: readonly StoredLocation[],
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
      located.map(({ key }) => key),
      located.map(({ outcome }) => GEOCODE_OUTCOMES.indexOf(outcome)),
      located.map(({ isExact }) => isExact),
      located.map(({ fips }) => fips),
      located.map(({ tract }) => tract),
      located.map(({ block }) => block),
      located.map(({ addressId }) => addressId),
      retryDays,
    ],
  );
}

async function eraseAddresses(client: PoolClient, located: readonly StoredLocation[]): Promise<void> {
  await client.query(`delete from geocode_address where address_key = any($1::bytea[])`, [
    located.map(({ key }) => key),
  ]);
}

async function keepTies(client: PoolClient, ties: readonly Buffer[]): Promise<void> {
  if (ties.length === 0) return;
  await client.query(
    `update geocode_address set is_tie = true, call_id = null, failures = 0 where address_key = any($1::bytea[])`,
    [ties],
  );
}

/**
 * Others of the call were answered and these were not: that counts against each of them, and after five times it goes on
 * alone. Fails it there as well, it is an error. An answer that broke off speaks against none of those it did not come to.
 */
async function keepUnanswered(client: PoolClient, call: ClaimedCall, results: CallResults): Promise<void> {
  const isCounted = ([, code]: [string, string]): boolean => call.kind === 'tie' || code !== 'truncated';
  const keys = [...results.unanswered].filter(isCounted).map(([key]) => Buffer.from(key, 'latin1'));
  if (keys.length === 0) return;
  const { rows } = await client.query<{ address_key: Buffer; failures: number }>(
    `update geocode_address set failures = least(failures + 1, $3)
     where address_key = any($1::bytea[]) and call_id = $2 returning address_key, failures`,
    [keys, call.id, TRIES_BEFORE_ERROR],
  );
  const suspects = rows.filter(({ failures }) => failures === TRIES_BEFORE_ERROR).map((row) => row.address_key);
  if (suspects.length > 0) await formSingleCalls(client, suspects, waitBefore(call, results));
}

/** Addresses that are left are asked again by the same call, as if for the first time: nothing speaks against it as a whole. */
async function endOrGoOn(client: PoolClient, call: ClaimedCall, waitMs: number): Promise<void> {
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

/** As long as the address that was left out most often has to wait; what was not asked need not. */
function waitBefore({ addresses }: ClaimedCall, { unanswered }: CallResults): number {
  if (unanswered.size === 0) return 0;
  const leftOut = addresses.filter(({ key }) => unanswered.has(key.toString('latin1')));
  return backoffMs(leftOut.reduce((most, { failures }) => Math.max(most, failures + 1), 1));
}

/** Last in the transaction: every call begins and ends at this row. */
async function countAnswer(
  client: PoolClient,
  options: CallOptions,
  call: ClaimedCall,
  { located, ties, toldToWait: told }: CallResults,
): Promise<void> {
  const { state, now } = await lockGate(client);
  const closed = await answered(state, options, now);
  const after = told
    ? toldToWait({ ...closed, callsPerMinute: state.callsPerMinute }, options, now, told.retryAfterMs)
    : closed;
  const counted =
    call.kind === 'tie'
      ? { ...NOTHING, tieCalls: located.length }
      : { ...NOTHING, calls: 1, rowsSent: call.addresses.length, rowsAnswered: located.length + ties.length };
  await saveEnd(client, after, null, counted);
}

/** A COMMIT whose answer was lost: the lease is gone by it, and so are the addresses. */
async function isStored(pool: Pool, call: ClaimedCall, { located }: CallResults): Promise<boolean> {
  const { rows } = await pool.query<{ stored: boolean }>(
    `select not exists (select from geocode_call where id = $1 and lease_id = $2)
        and not exists (select from geocode_address where address_key = any($3::bytea[])) as stored`,
    [...heldBy(call), located.map(({ key }) => key)],
  );
  return rows[0].stored;
}
