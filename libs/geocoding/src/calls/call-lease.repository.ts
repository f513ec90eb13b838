import { type PoolClient } from 'pg';
import { type ClaimedCall } from './call';

export const HELD = `id = $1 and lease_id = $2 and state = 'leased'`;
export const heldBy = (call: ClaimedCall): unknown[] => [call.id, call.leaseId];

export interface CallRow {
  readonly rows: number;
  readonly failures: number;
  readonly probes: number;
}

/**
 * Locks a call whose lease still holds. The transaction does not wait for the disk: if a database crash loses it, it is
 * lost as a whole, and the call is made again. A transaction that completes a batch waits for the disk nevertheless.
 * @returns null if the lease is lost
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
 * Makes the planner look up each address by its key for the rest of this transaction. A plan that reads all pending
 * addresses for the thousand of a call is never worth it, and one that expects a single row is a thousand times too slow.
 */
export async function planByKey(client: PoolClient): Promise<void> {
  await client.query(
    `set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off`,
  );
}
