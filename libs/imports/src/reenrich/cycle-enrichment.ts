import { type Pool, type PoolClient } from 'pg';

/** Whether every row of a cycle has the values that this release gives. */
export async function isEnrichedWith(pool: Pool, cycle: number, releaseId: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_enriched: boolean }>(
    `select not exists (
       select from contribution c
       where c.cycle = $1 and c.release_no <> r.no
         and not (c.release_no < r.no and exists (
           select from cycle_enrichment e where e.cycle = $1 and e.release_no = r.no))) as is_enriched
     from enrichment_release r where r.release_id = $2`,
    [cycle, releaseId],
  );
  return rows.length > 0 && rows[0].is_enriched;
}

/** Notes that all rows of a cycle have the values that this release gives. */
export async function noteEnriched(client: PoolClient, cycle: number, releaseId: string): Promise<void> {
  await client.query(
    `insert into enrichment_release (release_id)
     select $1 where not exists (select from enrichment_release where release_id = $1)
     on conflict do nothing`,
    [releaseId],
  );
  await client.query(
    `insert into cycle_enrichment (cycle, release_no)
     select $1, no from enrichment_release where release_id = $2
     on conflict (cycle) do update set release_no = excluded.release_no`,
    [cycle, releaseId],
  );
}
