import { type Pool, type PoolClient } from 'pg';
import { inTransaction, sqlIsOver } from '@donorlens/database';
import {
  CALL_LEASE_MS,
  CALL_LEASE_OVER,
  type CallKind,
  type CallOptions,
  type Claim,
  type ClaimedCall,
  MAX_CALL_WAIT_SECONDS,
  type PendingAddress,
  type WaitReason,
} from './call';
import { lockGeocoderState, readGeocoderState, saveStart } from './geocoder-state.repository';
import { mayStart } from './rate-limiter';

/** A call whose backoff is over and whose benchmark and vintage the geocoder knows. */
export const DUE = `((not_before is null or ${sqlIsOver('not_before', MAX_CALL_WAIT_SECONDS)})
  and not exists (select from geocoder where refused_benchmark = benchmark and refused_vintage = vintage))`;
/** The call that an open circuit admits: one with the fewest failures, and of those the smallest. */
export const BEST_PROBE = `
  select id, state from geocode_call where state in ('pending', 'queued') and ${DUE}
  order by failures + probes, rows, id limit 1`;
const NOT_THE_PROBE_MS = 1_000;
const BEHIND_BATCHES_MS = 1_000;
const REFUSED_MS = 30_000;
/**
 * A tie call makes a request for each address and takes long: while batch calls wait, tie calls use half of the slots.
 */
export const tieSlots = (callsAtOnce: number): number => Math.floor(callsAtOnce / 2);
/** Whether batch calls wait for a slot, and how many tie calls have one. */
export const TIES_BESIDE = `
  select exists (select from geocode_call where kind = 'batch' and state in ('pending', 'queued') and ${DUE}) as waits,
         (select count(*)::int from geocode_call where kind = 'tie' and state = 'leased' and enqueued_at is null
            and not ${CALL_LEASE_OVER}) as ties`;

interface LeasedRow {
  lease_id: string;
  kind: CallKind;
  rows: number;
  failures: number;
  benchmark: string;
  vintage: string;
}
type Taken = Omit<ClaimedCall, 'addresses'>;
type Refused = { readonly waitMs: number; readonly why: WaitReason };

/**
 * Leases a call if the rate limiter admits it. A call that waits for a slot or a token takes no lock; any other locks
 * the geocoder's row for a few statements. Addresses are read afterwards, as those of a leased call do not change.
 */
export async function claimCall(pool: Pool, options: CallOptions, id: string): Promise<Claim> {
  const { state, now, inFlight } = await readGeocoderState(pool);
  const verdict = mayStart(state, options, now, inFlight);
  if ('why' in verdict && staysQueued(verdict)) return verdict;
  const taken = await inTransaction(pool, (client) => takeCall(client, options, id));
  if (taken === null || 'why' in taken) return taken;
  const addresses = await addressesOf(pool, id);
  if (addresses.length > 0) return { call: { ...taken, addresses } };
  await pool.query(`delete from geocode_call where id = $1 and lease_id = $2`, [id, taken.leaseId]);
  return null;
}

const staysQueued = ({ why }: Refused): boolean => why === 'slots' || why === 'rate';

async function takeCall(client: PoolClient, options: CallOptions, id: string): Promise<Taken | Refused | null> {
  const { state, now, inFlight } = await lockGeocoderState(client);
  const verdict = mayStart(state, options, now, inFlight);
  if ('why' in verdict) return refused(client, id, verdict);
  const { start, isProbe } = verdict;
  if (isProbe && !(await isBestProbe(client, id)))
    return refused(client, id, { waitMs: NOT_THE_PROBE_MS, why: 'circuit_open' });
  if (!isProbe && (await isBehindBatches(client, options, id)))
    return refused(client, id, { waitMs: BEHIND_BATCHES_MS, why: 'ties' });
  const call = await lease(client, id);
  if (call === null)
    return (await isRefused(client, id)) ? refused(client, id, { waitMs: REFUSED_MS, why: 'refused' }) : null;
  const furtherRequests = call.kind === 'tie' ? call.rows - 1 : 0;
  await saveStart(client, { ...start, tokens: start.tokens - furtherRequests });
  const { lease_id: leaseId, kind, failures, benchmark, vintage } = call;
  return { id, leaseId, kind, isProbe, failures, benchmark, vintage };
}

/** Null if the call is not free, not due, or locked by another worker. */
async function lease(client: PoolClient, id: string): Promise<LeasedRow | null> {
  const { rows } = await client.query<LeasedRow>(
    `update geocode_call
     set state = 'leased', lease_id = gen_random_uuid(), enqueued_at = null, not_before = null,
         lease_until = clock_timestamp() + make_interval(secs => $2 / 1000.0)
     where id in (select id from geocode_call where id = $1 and ${DUE} and state in ('pending', 'queued')
                  for update skip locked)
     returning lease_id, kind, rows, failures, benchmark, vintage`,
    [id, CALL_LEASE_MS],
  );
  return rows[0] ?? null;
}

/** A call that waits for a slot or a token stays queued. Any other gets a new job when it is due. */
async function refused(client: PoolClient, id: string, verdict: Refused): Promise<Refused> {
  if (!staysQueued(verdict)) await dequeue(client, id);
  return verdict;
}

/** The call waits for a new job, unless a worker has leased it meanwhile. */
export async function dequeue(db: Pool | PoolClient, id: string): Promise<void> {
  await db.query(
    `update geocode_call set state = 'pending', enqueued_at = null
     where id in (select id from geocode_call where id = $1 and state = 'queued' for update skip locked)`,
    [id],
  );
}

async function isRefused(client: PoolClient, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from geocode_call join geocoder on refused_benchmark = benchmark and refused_vintage = vintage where id = $1`,
    [id],
  );
  return rowCount === 1;
}

async function isBehindBatches(client: PoolClient, { callsAtOnce }: CallOptions, id: string): Promise<boolean> {
  const { rows } = await client.query<{ waits: boolean; ties: number; kind: CallKind }>(
    `select beside.*, kind from geocode_call, (${TIES_BESIDE}) as beside where id = $1`,
    [id],
  );
  return rows.some(({ kind, waits, ties }) => kind === 'tie' && waits && ties >= tieSlots(callsAtOnce));
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
