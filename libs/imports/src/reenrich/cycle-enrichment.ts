import { type Pool, type PoolClient } from 'pg';

/** Cycles whose contributions are not known to have the values that this release gives. */
export async function cyclesToReenrich(pool: Pool, releaseId: string): Promise<number[]> {
  const { rows } = await pool.query<{ cycle: number }>(
    `select known.cycle
     from (select substring(relname from '\\d+$')::int as cycle
           from pg_inherits join pg_class on pg_class.oid = inhrelid
           where inhparent = 'contribution'::regclass) known
     where exists (select from contribution c where c.cycle = known.cycle)
       and not exists (
         select from cycle_enrichment e join enrichment_release r on r.no = e.release_no
         where e.cycle = known.cycle and r.release_id = $1)
     order by 1`,
    [releaseId],
  );
  return rows.map(({ cycle }) => cycle);
}

export async function isEnrichedWith(pool: Pool, cycle: number, releaseId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from cycle_enrichment e join enrichment_release r on r.no = e.release_no
     where e.cycle = $1 and r.release_id = $2`,
    [cycle, releaseId],
  );
  return rowCount === 1;
}

/** All rows of a cycle have the values that this release gives. */
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

/** At the end of an import that stored rows in these cycles: where all rows of one are of one release, it is the cycle's. */
export async function noteImported(client: PoolClient, cycles: readonly number[]): Promise<void> {
  await client.query(
    `insert into cycle_enrichment (cycle, release_no)
     select c.cycle, min(c.release_no) from contribution c
     where c.cycle = any ($1) and not exists (select from cycle_enrichment e where e.cycle = c.cycle)
     group by c.cycle having min(c.release_no) = max(c.release_no)`,
    [cycles],
  );
}
