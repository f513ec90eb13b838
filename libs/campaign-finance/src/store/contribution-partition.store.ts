import { setTimeout as pause } from 'node:timers/promises';
import { type PoolClient } from 'pg';

const PARTITIONS_LOCK = 'donorlens contribution partitions';

export const partitionOf = (cycle: number): string => `contribution_${Math.trunc(cycle)}`;

/**
 * Creates a table and attaches it: `partition of` would lock the parent table until the transaction ends.
 * A second transaction waits for the first one and finds that the partition exists.
 */
export async function addPartition(client: PoolClient, cycle: number): Promise<void> {
  const table = partitionOf(cycle);
  if (await isPartition(client, table)) return;
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [PARTITIONS_LOCK]);
  if (await isPartition(client, table)) return;
  await client.query(`create table ${table} (like contribution including all)`);
  await attach(client, cycle);
}

export async function isPartition(client: PoolClient, table: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_inherits where inhparent = 'contribution'::regclass and inhrelid = to_regclass($1)`,
    [table],
  );
  return rowCount === 1;
}

/** Replaces a cycle's partition with a table. It and its indexes are named `..._next`. The caller holds the lock. */
export async function replacePartition(client: PoolClient, table: string, cycle: number): Promise<void> {
  await client.query(`drop table if exists ${partitionOf(cycle)}`);
  const { rows } = await client.query<{ rename: string }>(
    `select format('alter index %I rename to %I', relname, replace(relname, '_next_', '_')) as rename
     from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = $1::regclass`,
    [table],
  );
  for (const { rename } of rows) await client.query(rename);
  await client.query(`alter table ${table} rename to ${partitionOf(cycle)}`);
  await attach(client, cycle);
}

async function attach(client: PoolClient, cycle: number): Promise<void> {
  const year = Math.trunc(cycle);
  await client.query(`alter table contribution attach partition ${partitionOf(cycle)} for values in (${year})`);
}

/** Attempts to lock. Each makes new readers wait for at most `waitMs`, and pauses of `pauseMs` separate them. */
export const SWAP_LOCK = { waitMs: 1_500, pauseMs: 3_000, attempts: 20 };
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Locks contributions against all reads and writes until the transaction ends.
 * @returns false if running readers or writers held their locks in all attempts
 */
export async function lockForSwap(
  client: PoolClient,
  { waitMs, pauseMs, attempts }: typeof SWAP_LOCK,
): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++)
    try {
      await client.query(`savepoint swap; set local lock_timeout = ${waitMs}`);
      await client.query('lock table contribution in access exclusive mode');
      await client.query('set local lock_timeout to default; release savepoint swap');
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await client.query('rollback to savepoint swap');
      if (attempt < attempts) await pause(pauseMs);
    }
  return false;
}
