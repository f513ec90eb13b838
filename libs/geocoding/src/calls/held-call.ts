import { type PoolClient } from 'pg';
import { type ClaimedCall } from './claimed-call';

export const HELD = `id = $1 and lease_id = $2 and state = 'leased'`;
export const heldBy = (call: ClaimedCall): unknown[] => [call.id, call.leaseId];

export interface CallRow {
  readonly rows: number;
  readonly failures: number;
  readonly probes: number;
}

/**
 * Locks a call for whoever still holds its lease. The transaction need not wait for the disk: what a crash of the database
 * takes back, it takes back whole, and the call is made again. Who completes a batch in it waits nevertheless.
 * @returns null where the lease is lost
 */
export async function lockHeld(client: PoolClient, call: ClaimedCall): Promise<CallRow | null> {
  const { rows } = await client.query<CallRow>(
    `select rows, failures, probes, set_config('synchronous_commit', 'off', true)
     from geocode_call where ${HELD} for update`,
    heldBy(call),
  );
  return rows[0] ?? null;
}

/**
 * Each address is looked up by its key, for the rest of this transaction: a plan that reads all that wait for the sake
 * of the thousand of a call is never worth it, and one that expects a single one is a thousand times too slow.
 */
export async function planByKey(client: PoolClient): Promise<void> {
  await client.query(
    `set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off`,
  );
}
