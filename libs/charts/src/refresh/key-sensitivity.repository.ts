import { type Pool } from 'pg';
import { inTransaction } from '@donorlens/database';

/**
 * Counts donors of candidates by the key and by a coarser one, in the cycles that changed since the last measurement.
 * Reads all donors of these cycles: with the first charts of a cycle, then once a day.
 */
export async function measureSensitivity(pool: Pool, versionId: string): Promise<void> {
  await inTransaction(
    pool,
    async (client) => {
      await client.query(`set local work_mem = '128MB'`);
      await client.query(MEASURE, [versionId]);
    },
    { statementTimeoutMs: 0 },
  );
}

/** Whether a cycle of the version was never measured. */
export async function lacksSensitivity(pool: Pool, versionId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from chart_pair p join chart_version v on v.id = $1
     where p.entity_id like 'P%' and v.detail -> 'sensitivity' -> p.cycle::text is null limit 1`,
    [versionId],
  );
  return rowCount === 1;
}

const MEASURE = `
with cycle as (
  select distinct p.cycle from chart_pair p join chart_version v on v.id = $1
  where p.version_id > coalesce((v.detail->>'sensitivityOf')::bigint, 0)),
donor as (
  select cycle, cand_id, donor_key_v2, count(*) as donors
  from (
    select distinct f.cycle, l.cand_id, f.donor_key, f.donor_key_v2
    from donor_first f join chart_link l on l.cmte_id = f.entity_id and l.cycle = f.cycle
    where f.cycle in (select cycle from cycle) and l.cand_id like 'P%' and f.first_on is not null) one
  group by cycle, cand_id, donor_key_v2),
measured as (
  select cycle, jsonb_build_object('donors', coalesce(sum(donors), 0), 'donorsByCoarserKey', count(donors)) as figures
  from cycle left join donor using (cycle)
  group by cycle)
update chart_version set detail = detail || jsonb_build_object(
  'sensitivityOf', id::text,
  'sensitivity', coalesce(detail->'sensitivity', '{}') || (select jsonb_object_agg(cycle::text, figures) from measured))
where id = $1 and exists (select from measured)`;
