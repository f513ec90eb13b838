import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { blame, lockAddresses } from './blaming';
import { openedAt } from './circuit';
import { readGate } from './geocoder-row';
import { type CallRow } from './held-call';

interface ExpiredCall {
  readonly id: string;
  readonly lease_id: string;
}

/**
 * Calls whose worker is gone. It may be gone because of the call: that counts as a failure of it, or as a failed probe
 * while the circuit is open, and so ends with the one address that is too much for a worker. The circuit learns nothing.
 * @returns how many
 */
export async function freeExpiredCalls(pool: Pool): Promise<number> {
  const { rows } = await pool.query<ExpiredCall>(
    `select id, lease_id from geocode_call where state = 'leased' and lease_until < clock_timestamp()`,
  );
  if (rows.length === 0) return 0;
  const isOpen = openedAt((await readGate(pool)).state.circuit) !== null;
  let freed = 0;
  for (const expired of rows) if (await inTransaction(pool, (client) => free(client, expired, isOpen))) freed++;
  return freed;
}

/** Unless its worker has come back to life, and works on the call this moment. */
async function free(client: PoolClient, { id, lease_id: leaseId }: ExpiredCall, isOpen: boolean): Promise<boolean> {
  const { rows } = await client.query<CallRow>(
    `select rows, failures, probes from geocode_call
     where id = $1 and lease_id = $2 and state = 'leased' and lease_until < clock_timestamp() for update skip locked`,
    [id, leaseId],
  );
  if (rows.length === 0) return false;
  await lockAddresses(client, id);
  await blame(client, { id, isProbe: isOpen }, rows[0], { counts: !isOpen, code: 'worker_lost' });
  return true;
}
