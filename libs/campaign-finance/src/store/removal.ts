import { type PoolClient } from 'pg';

/** Deletes rows of `contribution c`, their streets, and touches their donors. */
const removing = (rows: string, before = ''): string => `
  with ${before} gone as (
    delete from contribution c ${rows} returning c.committee_id, c.cycle, c.donor_key, c.row_id, c.has_street
  ), streets as (
    delete from contribution_street s using gone where gone.has_street and s.cycle = gone.cycle and s.row_id = gone.row_id
  ), touched as (
    insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from gone
  )
  select count(*)::int as rows from gone`;

/**
 * The processed row has the same committee, filing and transaction. Both have the same date, so they are of one cycle,
 * unless the date was corrected: the neighbours are searched too, and the others not.
 */
const REPLACED = removing(
  `using (select distinct raw.cycle, raw.row_id
          from raw join contribution p
            on p.committee_id = raw.committee_id and p.file_num = raw.file_num and p.tran_id = raw.tran_id
          where p.row_id > 0
            and p.cycle between (select min(cycle) - 2 from raw) and (select max(cycle) + 2 from raw)) twin
   where c.cycle = twin.cycle and c.row_id = twin.row_id`,
  `raw as materialized (
    select cycle, row_id, committee_id, file_num, tran_id from contribution
    where row_id < 0 and file_num > 0 and tran_id <> ''
  ),`,
);

const OF_FILING = removing('where c.row_id < 0 and c.file_num = $1::bigint');

export async function removeReplacedRows(client: PoolClient): Promise<number> {
  return (await client.query<{ rows: number }>(REPLACED)).rows[0].rows;
}

export async function removeFiling(client: PoolClient, fileNum: string): Promise<number> {
  return (await client.query<{ rows: number }>(OF_FILING, [fileNum])).rows[0].rows;
}
