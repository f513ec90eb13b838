import { type PoolClient } from 'pg';
import { type ImportReport } from '../import-report';
import { cyclesOf } from './sweep';

/** What stands in the database of a file's cycle. */
export async function summary(
  client: PoolClient,
  fileCycle: number,
): Promise<Pick<ImportReport, 'stored' | 'moneyCents' | 'donors' | 'nearestLinkage'>> {
  const { rows } = await client.query<{ stored: string; money: string; donors: string; committees: string[] }>(
    `select coalesce(sum(n), 0) as stored, coalesce(sum(cents), 0) as money,
            count(distinct donor_key) filter (where is_donor and donor_key <> 0) as donors,
            coalesce(array_agg(distinct committee_id), '{}') as committees
     from (select committee_id, donor_key, count(*) as n, sum(money_cents) as cents, bool_or(counts_donor) as is_donor
           from contribution where cycle = any ($1) and file_cycle = $2 and row_id > 0
           group by committee_id, donor_key) donor`,
    [await cyclesOf(client, fileCycle), fileCycle],
  );
  const { stored, money, donors, committees } = rows[0];
  return {
    stored: Number(stored),
    moneyCents: Number(money),
    donors: Number(donors),
    nearestLinkage: await nearestLinkage(client, fileCycle, committees),
  };
}

async function nearestLinkage(
  client: PoolClient,
  cycle: number,
  committees: readonly string[],
): Promise<ImportReport['nearestLinkage']> {
  const { rows } = await client.query<{ committeeId: string; linkageCycle: number }>(
    `select c.id as "committeeId", nearest.cycle as "linkageCycle"
     from unnest($1::text[]) c (id)
     cross join lateral (
       select l.cycle from linkage l where l.cmte_id = c.id order by abs(l.cycle - $2), l.cycle limit 1) nearest
     where not exists (select 1 from linkage l where l.cmte_id = c.id and l.cycle = $2)
     order by c.id`,
    [committees, cycle],
  );
  return rows;
}
