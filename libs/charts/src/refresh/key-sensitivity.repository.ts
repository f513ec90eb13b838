import { type Pool } from 'pg';
import { inTransaction } from '@donorlens/database';
import { NEAR_DUPLICATES } from './near-duplicate-steps.store';

/**
 * Counts donors of candidates by the donor key and by a coarser key, and pairs of near-duplicates, in cycles that
 * changed since the last measurement. Reads all their donors, so it runs after a cycle's first charts, then once a day.
 */
export async function measureSensitivity(pool: Pool, versionId: string): Promise<void> {
  await inTransaction(
    pool,
    async (client) => {
      await client.query(`set local work_mem = '128MB'`);
      await client.query('create temp table measured_cycle (cycle smallint primary key) on commit drop');
      const { rowCount } = await client.query(`insert into measured_cycle ${CYCLES}`, [versionId]);
      if (rowCount === 0) return;
      for (const { sql } of NEAR_DUPLICATES) await client.query(sql);
      await client.query(MEASURE, [versionId]);
    },
    { statementTimeoutMs: 0 },
  );
}

/** Whether the version has a cycle that was never measured. */
export async function lacksSensitivity(pool: Pool, versionId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from chart_pair p join chart_version v on v.id = $1
     where p.entity_id like 'P%' and ${IS_MISSING} limit 1`,
    [versionId],
  );
  return rowCount === 1;
}

const IS_MISSING = `v.detail -> 'sensitivity' -> p.cycle::text -> 'nearDuplicates' is null`;

const CYCLES = `
select distinct p.cycle from chart_pair p join chart_version v on v.id = $1
where p.version_id > coalesce((v.detail->>'sensitivityOf')::bigint, 0) or (p.entity_id like 'P%' and ${IS_MISSING})`;

const MEASURE = `
with donor as (
  select cycle, cand_id, donor_key_v2, count(*) as donors
  from (
    select distinct f.cycle, l.cand_id, f.donor_key, f.donor_key_v2
    from donor_first f join chart_link l on l.cmte_id = f.entity_id and l.cycle = f.cycle
    where f.cycle in (select cycle from measured_cycle) and l.cand_id like 'P%' and f.first_on is not null) one
  group by cycle, cand_id, donor_key_v2),
by_key as (
  select cycle, coalesce(sum(donors), 0) as donors, count(donors) as coarser
  from measured_cycle left join donor using (cycle) group by cycle),
pair as (select cycle, count(*) as pairs from near_pair group by cycle),
paired as (
  select cycle, count(distinct key) as donors
  from near_pair cross join lateral (values (donor_key), (other_key)) one (key) group by cycle),
named as (select cycle, count(*) as donors from measured_donor group by cycle),
measured as (
  select cycle, jsonb_build_object('donors', k.donors, 'donorsByCoarserKey', k.coarser, 'nearDuplicates',
    jsonb_build_object('donors', coalesce(n.donors, 0), 'pairedDonors', coalesce(d.donors, 0), 'pairs', coalesce(p.pairs, 0))) as figures
  from by_key k left join named n using (cycle) left join pair p using (cycle) left join paired d using (cycle))
update chart_version set detail = detail || jsonb_build_object(
  'sensitivityOf', id::text,
  'sensitivity', coalesce(detail->'sensitivity', '{}') || (select jsonb_object_agg(cycle::text, figures) from measured))
where id = $1`;
