import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { CALL_LEASE_MS, type CallOptions } from './call-options';
import { type CallKind, type Claim, type ClaimedCall, type PendingAddress, type WaitReason } from './claimed-call';
import { mayStart } from './gate';
import { lockGate, saveStart } from './geocoder-row';

/** A call that may start as far as it is concerned. */
const DUE = `(not_before is null or not_before <= clock_timestamp())`;
/** Which call an open circuit lets through: one that nothing speaks against, and of those the smallest. */
export const BEST_PROBE = `
  select id, state from geocode_call where state in ('pending', 'queued') and ${DUE}
  order by failures + probes, rows, id limit 1`;
const NOT_THE_PROBE_MS = 1_000;

interface FreeCall {
  kind: CallKind;
  rows: number;
  failures: number;
}
type Taken = Omit<ClaimedCall, 'addresses'>;
type Refused = { readonly waitMs: number; readonly why: WaitReason };

/**
 * Takes a call where the gate lets it start. The gate's row is locked for these few statements only: addresses are
 * read afterwards, for nobody touches those of a leased call.
 */
export async function claimCall(pool: Pool, options: CallOptions, id: string): Promise<Claim> {
  const taken = await inTransaction(pool, (client) => takeCall(client, options, id));
  if (taken === null || 'why' in taken) return taken;
  const addresses = await addressesOf(pool, id);
  if (addresses.length > 0) return { call: { ...taken, addresses } };
  await pool.query(`delete from geocode_call where id = $1 and lease_id = $2`, [id, taken.leaseId]);
  return null;
}

async function takeCall(client: PoolClient, options: CallOptions, id: string): Promise<Taken | Refused | null> {
  const { state, now, inFlight } = await lockGate(client);
  const call = await lockFree(client, id);
  if (call === null) return null;
  const verdict = mayStart(state, options, now, inFlight, call.kind === 'tie' ? call.rows : 1);
  if ('why' in verdict) return refused(client, id, verdict);
  if (verdict.isProbe && !(await isBestProbe(client, id)))
    return refused(client, id, { waitMs: NOT_THE_PROBE_MS, why: 'circuit_open' });
  await saveStart(client, verdict.start);
  const { rows } = await client.query<{ lease_id: string }>(
    `update geocode_call
     set state = 'leased', lease_id = gen_random_uuid(), enqueued_at = null, not_before = null,
         lease_until = clock_timestamp() + make_interval(secs => $2 / 1000.0)
     where id = $1 returning lease_id`,
    [id, CALL_LEASE_MS],
  );
  return { id, leaseId: rows[0].lease_id, kind: call.kind, isProbe: verdict.isProbe, failures: call.failures };
}

/** Locked, unless somebody else works on it. */
async function lockFree(client: PoolClient, id: string): Promise<FreeCall | null> {
  const { rows } = await client.query<FreeCall>(
    `select kind, rows, failures from geocode_call
     where id = $1 and ${DUE} and state in ('pending', 'queued')
     for update skip locked`,
    [id],
  );
  return rows[0] ?? null;
}

/** Whoever waits for a slot or for the rate goes on waiting in the queue. Otherwise it is told when there is a point. */
async function refused(client: PoolClient, id: string, verdict: Refused): Promise<Refused> {
  const staysQueued = verdict.why === 'slots' || verdict.why === 'rate';
  await client.query(
    `update geocode_call set state = $2, enqueued_at = case when $2 = 'queued' then clock_timestamp() end where id = $1`,
    [id, staysQueued ? 'queued' : 'pending'],
  );
  return verdict;
}

async function isBestProbe(client: PoolClient, id: string): Promise<boolean> {
  const { rows } = await client.query<{ id: string }>(BEST_PROBE);
  return rows.length === 0 || rows[0].id === id;
}

async function addressesOf(pool: Pool, id: string): Promise<PendingAddress[]> {
  const { rows } = await pool.query<PendingAddress>(
    `select address_key as key, street, city, state, zip, failures from geocode_address where call_id = $1
     order by ask_order, address_key`,
    [id],
  );
  return rows;
}
