import { type PoolClient } from 'pg';
import { eraseUnwantedAddresses } from './address-removal';
import { amendedRows, replacedRows } from './removal-statements';
import { lockContributions } from './row-locks';

/** Rows that are to go, and of each the one that takes its place where there is one. */
const TABLE = 'contribution_removal';

/** Those that go and those that are left in their place. */
const CONCERNED = `(select cycle, row_id from ${TABLE}
  union select twin_cycle, twin_row_id from ${TABLE} where twin_row_id is not null)`;

/** A row that takes the place of another takes over its address, and what is known of it, where it has none itself. */
const INHERIT = `
  with heir as materialized (
    select distinct on (r.twin_cycle, r.twin_row_id) r.twin_cycle, r.twin_row_id, c.address_key, c.hh_income_median
    from ${TABLE} r join contribution c on c.cycle = r.cycle and c.row_id = r.row_id
    where r.twin_row_id is not null and c.address_key is not null
    order by r.twin_cycle, r.twin_row_id, c.file_num desc, c.row_id
  ), told as (
    update contribution p set address_key = heir.address_key, hh_income_median = heir.hh_income_median from heir
    where p.cycle = heir.twin_cycle and p.row_id = heir.twin_row_id and p.address_key is null
    returning p.committee_id, p.cycle, p.donor_key
  )
  insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from told`;

/** Deletes the rows and touches their donors. */
const REMOVE = `
  with gone as (
    delete from contribution c using ${TABLE} r where c.cycle = r.cycle and c.row_id = r.row_id
    returning c.committee_id, c.cycle, c.donor_key
  ), touched as (
    insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from gone
  )
  select count(*)::int as rows from gone`;

export const removeReplacedRows = (client: PoolClient, fileNum?: string): Promise<number> =>
  removeFound(client, replacedRows(fileNum));

export const removeAmendedRows = (client: PoolClient, fileNum?: string): Promise<number> =>
  removeFound(client, amendedRows(fileNum));

/** @param fileNum a number, or its negative stand-in */
export const removeFiling = (client: PoolClient, fileNum: string): Promise<number> =>
  removeFound(
    client,
    `select cycle, row_id, address_key, null::smallint as twin_cycle, null::bigint as twin_row_id
     from contribution where row_id < 0 and file_num = ${BigInt(fileNum)}::bigint`,
  );

/** All there are: where a sample goes. */
export async function removeAllContributions(client: PoolClient): Promise<void> {
  await lockContributions(client, '(select cycle, row_id from contribution)');
  await client.query(`
    create temp table ${TABLE} on commit drop as
      select distinct address_key from contribution where address_key is not null;
    delete from contribution`);
  await eraseUnwantedAddresses(client, TABLE);
  await client.query(`drop table ${TABLE}`);
}

/**
 * They are found first: how many there are is not known to the planner, and a look-up for each of many rows would take
 * hours where it reads a committee's rows again every time. They are locked before anything is read of them: what a
 * geocoder said is told to a row before that and goes to its heir with the address, or is told to the heir afterwards.
 */
async function removeFound(client: PoolClient, rows: string): Promise<number> {
  await client.query(`
    set local enable_nestloop = off;
    create temp table ${TABLE} on commit drop as ${rows};
    set local enable_nestloop = on;
    analyze ${TABLE}`);
  await lockContributions(client, CONCERNED);
  await client.query(INHERIT);
  const { rows: counted } = await client.query<{ rows: number }>(REMOVE);
  await eraseUnwantedAddresses(client, TABLE);
  await client.query(`drop table ${TABLE}`);
  return counted[0].rows;
}
