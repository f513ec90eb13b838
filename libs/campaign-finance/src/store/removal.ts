import { type PoolClient } from 'pg';

/** Deletes rows, their streets, and touches their donors. @param rows condition on `contribution c` */
const removing = (rows: string): string => `
  with gone as (
    delete from contribution c where ${rows} returning c.committee_id, c.cycle, c.donor_key, c.row_id, c.has_street
  ), streets as (
    delete from contribution_street s using gone where gone.has_street and s.cycle = gone.cycle and s.row_id = gone.row_id
  ), touched as (
    insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from gone
  )
  select count(*)::int as rows from gone`;

/** The processed row has the same committee, filing and transaction. */
const REPLACED = removing(`c.row_id < 0 and exists (
  select 1 from contribution p
  where p.row_id > 0 and p.committee_id = c.committee_id and p.file_num = c.file_num and p.tran_id = c.tran_id
    and p.committee_id in (select committee_id from contribution where row_id < 0))`);

const OF_FILING = removing('c.row_id < 0 and c.file_num = $1::bigint');

export async function removeReplacedRows(client: PoolClient): Promise<number> {
  return (await client.query<{ rows: number }>(REPLACED)).rows[0].rows;
}

export async function removeFiling(client: PoolClient, fileNum: string): Promise<number> {
  return (await client.query<{ rows: number }>(OF_FILING, [fileNum])).rows[0].rows;
}
