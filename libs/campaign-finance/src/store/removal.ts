import { type PoolClient } from 'pg';
import { amendedRows, replacedRows } from './removal-statements';

/** Deletes rows of `contribution c`, their streets, and touches their donors. */
const removing = (rows: string): string => `
  with gone as (
    delete from contribution c ${rows} returning c.committee_id, c.cycle, c.donor_key, c.row_id, c.has_street
  ), streets as (
    delete from contribution_street s using gone where gone.has_street and s.cycle = gone.cycle and s.row_id = gone.row_id
  ), touched as (
    insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from gone
  )
  select count(*)::int as rows from gone`;

const OF_FILING = removing('where c.row_id < 0 and c.file_num = $1::bigint');
const FOUND = removing('using contribution_removal r where c.cycle = r.cycle and c.row_id = r.row_id');

export const removeReplacedRows = (client: PoolClient, fileNum?: string): Promise<number> =>
  removeFound(client, replacedRows(fileNum));

export const removeAmendedRows = (client: PoolClient, fileNum?: string): Promise<number> =>
  removeFound(client, amendedRows(fileNum));

export async function removeFiling(client: PoolClient, fileNum: string): Promise<number> {
  return (await client.query<{ rows: number }>(OF_FILING, [fileNum])).rows[0].rows;
}

/**
 * They are found first: how many there are is not known to the planner, and a look-up for each of many rows would take
 * hours where it reads a committee's rows again every time.
 */
async function removeFound(client: PoolClient, rows: string): Promise<number> {
  await client.query(`
    set local enable_nestloop = off;
    create temp table contribution_removal on commit drop as ${rows};
    set local enable_nestloop = on;
    analyze contribution_removal`);
  const { rows: counted } = await client.query<{ rows: number }>(FOUND);
  await client.query('drop table contribution_removal');
  return counted[0].rows;
}
