import { type PoolClient } from 'pg';

/**
 * Locks contributions in the order of their keys, as everybody does who writes several: two who have rows in common
 * wait for each other, and never in a circle. What the next statement reads of them stays so until the transaction ends.
 * @param rows a table or a query in brackets, has columns cycle and row_id, each row once
 */
export async function lockContributions(client: PoolClient, rows: string): Promise<void> {
  await client.query(
    `select count(*) from (
       select from ${rows} r join contribution c on c.cycle = r.cycle and c.row_id = r.row_id
       order by c.cycle, c.row_id for update of c) locked`,
  );
}
