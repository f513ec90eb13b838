import { type PoolClient } from 'pg';

const LOCK = 'donorlens contribution partitions';

/**
 * A table of its own, then attached: `partition of` would lock the parent against everybody until the transaction ends.
 * Who comes second waits for the first, and finds the partition there.
 */
export async function addPartition(client: PoolClient, cycle: number): Promise<void> {
  const year = Math.trunc(cycle);
  const table = `contribution_${year}`;
  if (await isAttached(client, table)) return;
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [LOCK]);
  if (await isAttached(client, table)) return;
  await client.query(`create table ${table} (like contribution including all)`);
  await client.query(`alter table contribution attach partition ${table} for values in (${year})`);
}

async function isAttached(client: PoolClient, table: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_inherits where inhparent = 'contribution'::regclass and inhrelid = to_regclass($1)`,
    [table],
  );
  return rowCount === 1;
}
