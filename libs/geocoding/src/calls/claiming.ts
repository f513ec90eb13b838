import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { CALL_LEASE_MS, type CallOptions } from './call-options';
import { type CallKind, type Claim, type ClaimedCall, type PendingAddress, type WaitReason } from './claimed-call';
import { mayStart } from './gate';
import { lockGate, readGate, saveStart } from './geocoder-row';

/** A call that may start as far as it is concerned: its time has come, and the geocoder knows what it is asked under. */
export const DUE = `((not_before is null or not_before <= clock_timestamp())
  and not exists (select from geocoder where refused_benchmark = benchmark and refused_vintage = vintage))`;
/** Which call an open circuit lets through: one that nothing speaks against, and of those the smallest. */
export const BEST_PROBE = `
  select id, state from geocode_call where state in ('pending', 'queued') and ${DUE}
  order by failures + probes, rows, id limit 1`;
const NOT_THE_PROBE_MS = 1_000;
const BEHIND_BATCHES_MS = 1_000;
const REFUSED_MS = 30_000;
/** A tie is a request of its own, and a call of them takes long: while addresses wait, ties leave them half of the slots. */
export const tieSlots = (callsAtOnce: number): number => Math.floor(callsAtOnce / 2);
/** Whether calls of addresses wait for a slot, and how many of ties have one. */
export const TIES_BESIDE = `
  select exists (select from geocode_call where kind = 'batch' and state in ('pending', 'queued') and ${DUE}) as waits,
         (select count(*)::int from geocode_call where kind = 'tie' and state = 'leased' and enqueued_at is null
            and lease_until > clock_timestamp()) as ties`;

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
 * Takes a call where the gate lets it start. Whoever only waits in line looks without locking anything; who may go locks
 * the gate's row for a few statements. Addresses are read afterwards, for nobody touches those of a leased call.
 */
export async function claimCall(pool: Pool, options: CallOptions, id: string): Promise<Claim> {
  const { state, now, inFlight } = await readGate(pool);
  const verdict = mayStart(state, options, now, inFlight);
  if ('why' in verdict && isInLine(verdict)) return verdict;
  const taken = await inTransaction(pool, (client) => takeCall(client, options, id));
  if (taken === null || 'why' in taken) return taken;
  const addresses = await addressesOf(pool, id);
  if (addresses.length > 0) return { call: { ...taken, addresses } };
  await pool.query(`delete from geocode_call where id = $1 and lease_id = $2`, [id, taken.leaseId]);
  return null;
}

const isInLine = ({ why }: Refused): boolean => why === 'slots' || why === 'rate';

async function takeCall(client: PoolClient, options: CallOptions, id: string): Promise<Taken | Refused | null> {
  const { state, now, inFlight } = await lockGate(client);
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

/** Null where it is not free, or not its time, or somebody else works on it. */
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

/** Whoever waits for a slot or for the rate goes on waiting in the queue. Otherwise it is told when there is a point. */
async function refused(client: PoolClient, id: string, verdict: Refused): Promise<Refused> {
  if (!isInLine(verdict)) await leaveLine(client, id);
  return verdict;
}

/** The call waits for a new job, unless another one has begun it meanwhile. */
export async function leaveLine(db: Pool | PoolClient, id: string): Promise<void> {
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
