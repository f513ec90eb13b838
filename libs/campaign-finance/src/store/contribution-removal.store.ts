import { type PoolClient } from 'pg';

/**
 * Queries for duplicates: rows of electronic filings (raw) and of the bulk files (processed) that are the same gifts.
 * They return cycle, row_id and address of each row to remove, and cycle and row_id of the twin that replaces it.
 *
 * With a file number, a query reads only that filing and, by index, the processed rows of its filer and period. The
 * next import of a bulk file compares all filings and finds any other duplicates.
 */
type FileNumber = string | undefined;

/** CREATE TABLE AS takes no parameters, so the number becomes part of the SQL text. */
const number = (fileNum: string): string => `${BigInt(fileNum)}::bigint`;
const ofOne = (fileNum: FileNumber, text: (fileNum: string) => string): string =>
  fileNum === undefined ? '' : text(number(fileNum));

/** Positions of cells in a record. The filer of a conduit's row is the conduit, not the recipient committee. */
const CELL = { filer: 1, amendment: 2, report: 3 } as const;
const cell = (row: string, name: keyof typeof CELL): string => `split_part(${row}.record, chr(28), ${CELL[name]})`;

const RAW_COLUMNS = `${cell('c', 'filer')} as filer, c.committee_id, ${cell('c', 'report')} as report,
  c.cycle, c.row_id, c.file_num, c.tran_id, c.received_on, c.address_key`;
const NO_TWIN = 'null::smallint as twin_cycle, null::bigint as twin_row_id';

/** A transaction id is unique in a report and the same in all its amendments. Report codes repeat each year. */
const SAME_TRANSACTION = `(${cell('p', 'report')} = raw.report and (abs(p.received_on - raw.received_on) < 183) is not false)`;

const period = (fileNum: FileNumber): string =>
  ofOne(
    fileNum,
    (of) => `, period as materialized (
      select least(f.coverage_from, min(raw.received_on)) as low, greatest(f.coverage_to, max(raw.received_on)) as high
      from filing f left join raw on raw.file_num = f.file_num where f.file_num = ${of} group by f.file_num
    )`,
  );
const inPeriod = (fileNum: FileNumber): string =>
  ofOne(
    fileNum,
    () => `and (p.received_on is null
      or p.received_on between (select low from period) and (select high from period))`,
  );
/** Restricts committees outside the join, so that only their rows are read. @param committees - a query */
const processedOf = (committees: string, cycles: string): string => `p.row_id > 0
  and p.committee_id = any (array(${committees}))
  and p.cycle between (select min(cycle) - 2 from ${cycles}) and (select max(cycle) + 2 from ${cycles})`;

/**
 * Raw rows that have a processed twin: the same transaction of the same filing or of a later one. If the later filing
 * is an amendment, all rows of the raw filing. Twins mostly have the same date and therefore the same cycle. As an
 * amendment can correct the date, the query also searches the adjacent cycles, but no others.
 */
const replacedRows = (fileNum?: string): string => `
  with raw as materialized (
    select ${RAW_COLUMNS} from contribution c
    where c.row_id < 0 and c.file_num > 0 and c.tran_id <> '' ${ofOne(fileNum, (of) => `and c.file_num = ${of}`)}
  )${period(fileNum)}, twin as materialized (
    select raw.cycle, raw.row_id, raw.file_num, raw.address_key, p.cycle as twin_cycle, p.row_id as twin_row_id,
           p.file_num > raw.file_num and ${cell('p', 'amendment')} = 'A' as is_amended
    from raw join contribution p on p.tran_id = raw.tran_id and ${cell('p', 'filer')} = raw.filer
    where ${processedOf('select distinct committee_id from raw', 'raw')} ${inPeriod(fileNum)}
      and (p.file_num = raw.file_num or (p.file_num > raw.file_num and ${SAME_TRANSACTION}))
  )
  select cycle, row_id, address_key, twin_cycle, twin_row_id from twin
  union
  select c.cycle, c.row_id, c.address_key, ${NO_TWIN} from contribution c
  where c.row_id < 0 and c.file_num = any (array(select distinct file_num from twin where is_amended))`;

/** Committees that filed the rows, and the recipient committees of rows that conduits filed. */
const CONCERNED_COMMITTEES = 'select filer from amending union select committee_id from raw';

/**
 * All processed rows of the filings that a current raw amendment replaces: the original filing of its report, known
 * earlier amendments, and earlier filings that contain one of its transactions.
 */
const amendedRows = (fileNum?: string): string => `
  with amending as materialized (
    select f.file_num, f.cmte_id as filer, f.original, i.cycle from filing f join fec_import i on i.id = f.import_id
    where f.state = 'current' and f.amendment > 0 ${ofOne(fileNum, (of) => `and f.file_num = ${of}`)}
  ), chain as materialized (
    select filer, original as file_num from amending where original <> file_num
    union
    select a.filer, f.file_num from amending a join filing f on f.cmte_id = a.filer and f.original = a.original
    where f.state = 'superseded'
  ), raw as materialized (
    select ${RAW_COLUMNS} from contribution c
    where c.row_id < 0 and c.file_num = any (array(select file_num from amending))
  )${period(fileNum)}, earlier as materialized (
    select chain.filer, p.file_num
    from chain join contribution p on p.file_num = chain.file_num and ${cell('p', 'filer')} = chain.filer
    where ${processedOf(CONCERNED_COMMITTEES, 'amending')} ${inPeriod(fileNum)}
    union
    select raw.filer, p.file_num
    from raw join contribution p on p.tran_id = raw.tran_id and ${cell('p', 'filer')} = raw.filer
    where ${processedOf(CONCERNED_COMMITTEES, 'amending')} ${inPeriod(fileNum)}
      and p.file_num < raw.file_num and ${SAME_TRANSACTION}
  )
  select p.cycle, p.row_id, p.address_key, ${NO_TWIN}
  from earlier join contribution p on p.file_num = earlier.file_num and ${cell('p', 'filer')} = earlier.filer
  where ${processedOf(CONCERNED_COMMITTEES, 'amending')}`;

/** Temporary table of the rows to remove, each with its twin if it has one. */
const TABLE = 'contribution_removal';

/** The rows to remove and their twins. */
const CONCERNED = `(select cycle, row_id from ${TABLE}
  union select twin_cycle, twin_row_id from ${TABLE} where twin_row_id is not null)`;

/** A twin without an address gets the address and the county income of the row that it replaces. */
const INHERIT = `
  with heir as materialized (
    select distinct on (r.twin_cycle, r.twin_row_id) r.twin_cycle, r.twin_row_id, c.address_key, c.hh_income_median
    from ${TABLE} r join contribution c on c.cycle = r.cycle and c.row_id = r.row_id
    where r.twin_row_id is not null and c.address_key is not null
    order by r.twin_cycle, r.twin_row_id, c.file_num desc, c.row_id
  ), touched as (
    update contribution p set address_key = heir.address_key, hh_income_median = heir.hh_income_median from heir
    where p.cycle = heir.twin_cycle and p.row_id = heir.twin_row_id and p.address_key is null
    returning p.committee_id, p.cycle, p.donor_key
  )
  insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from touched`;

/** Deletes the rows and adds their donors to `donor_touched`. */
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

/** @param fileNum - number of the filing, or the negative placeholder if its number is unknown */
export const removeFiling = (client: PoolClient, fileNum: string): Promise<number> =>
  removeFound(
    client,
    `select cycle, row_id, address_key, null::smallint as twin_cycle, null::bigint as twin_row_id
     from contribution where row_id < 0 and file_num = ${BigInt(fileNum)}::bigint`,
  );

/** Removes all contributions, when real data replaces the sample. */
export async function removeAllContributions(client: PoolClient): Promise<void> {
  await lockContributions(client, '(select cycle, row_id from contribution)');
  await client.query(`
    create temp table ${TABLE} on commit drop as
      select distinct address_key from contribution where address_key is not null;
    delete from contribution`);
  await deleteUnusedAddresses(client, TABLE);
  await client.query(`drop table ${TABLE}`);
}

/**
 * Finds the rows first, because the planner cannot estimate their number: a nested loop over many rows could read a
 * committee's rows each time, for hours. Locks them before it reads their addresses: a worker stores a geocoding result
 * either before the lock, so that it moves to the twin with the address, or afterwards, in the twin.
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
  await deleteUnusedAddresses(client, TABLE);
  await client.query(`drop table ${TABLE}`);
  return counted[0].rows;
}

/**
 * Deletes addresses that are no longer used: no contribution has them, no batch waits for them or requested them first,
 * and no geocoding call contains them. It locks the addresses before this check, so that no other transaction can start
 * to use one in between. An address that is locked already is in use and is skipped.
 * @param table - table of the transaction with a column address_key
 */
async function deleteUnusedAddresses(client: PoolClient, table: string): Promise<void> {
  const { rows } = await client.query<{ key: Buffer }>(
    `select address_key as key from geocode_address a
     where address_key in (select address_key from ${table}) and ${IS_UNUSED}
     order by address_key for update skip locked`,
  );
  if (rows.length === 0) return;
  await client.query(
    `delete from geocode_address a
     where address_key = any ($1) and ${IS_UNUSED}
       and not exists (select from location_wait w where w.address_key = a.address_key)
       and not exists (select from contribution c where c.address_key = a.address_key)`,
    [rows.map(({ key }) => key)],
  );
}

const IS_UNUSED = 'a.asked_by is null and a.call_id is null';

/**
 * Locks contributions in the order of their keys, as every transaction that writes several does. Transactions with
 * common rows then wait without a deadlock, and the locked rows do not change until the transaction ends.
 * @param rows - a table or a query in parentheses with the columns cycle and row_id, each row once
 */
export async function lockContributions(client: PoolClient, rows: string): Promise<void> {
  await client.query(
    `select count(*) from (
       select from ${rows} r join contribution c on c.cycle = r.cycle and c.row_id = r.row_id
       order by c.cycle, c.row_id for update of c) locked`,
  );
}
