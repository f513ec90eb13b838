import { createHash } from 'node:crypto';
import { type PoolClient } from 'pg';

/** What enrichment finds out about a row: what another release of the reference data can change. */
const ENRICHED_COLUMNS = {
  age: 'smallint',
  age_adult: 'smallint',
  gender: 'text',
  race: 'text',
  pct_white: 'smallint',
  pct_black: 'smallint',
  pct_api: 'smallint',
  pct_aian: 'smallint',
  pct_2prace: 'smallint',
  pct_hispanic: 'smallint',
  /** Income of the county by ZIP; counts in a row without an address. */
  zip_income: 'int',
  /** Key of the birth files. */
  first_name: 'text',
} as const;

/** What follows from the record as filed. */
const FILED_COLUMNS = {
  committee_id: 'text',
  donor_key: 'bigint',
  donor_key_v2: 'bigint',
  received_on: 'date',
  money_cents: 'bigint',
  counts_money: 'boolean',
  counts_donor: 'boolean',
  count_reason: 'smallint',
  earmark: 'smallint',
  state: 'text',
  file_num: 'bigint',
  tran_id: 'text',
  file_cycle: 'smallint',
  record: 'text',
} as const;

const STAGING_TYPES = {
  /** Place in its chunk: of rows with one identity the last is stored. */
  row_no: 'int',
  /** Why the record cannot be stored; it has no identity then, and `record` is all of it. */
  reject_code: 'text',
  cycle: 'smallint',
  row_id: 'bigint',
  ...FILED_COLUMNS,
  ...ENRICHED_COLUMNS,
  /** Key of the address of a filing's row, if it can be geocoded. */
  address_key: 'bytea',
} as const;

/**
 * Columns of the lines that ContributionStore stores, in order. They exclude values that depend on the location of an
 * address (hh_income_median) or on other rows (is_copy): an import does not change these.
 */
export const STAGING_COLUMNS = Object.keys(STAGING_TYPES) as readonly (keyof typeof STAGING_TYPES)[];

/** Columns and types, as a table has them. */
const STAGING_TABLE = Object.entries(STAGING_TYPES)
  .map((column) => column.join(' '))
  .join(', ');

/**
 * Named by its columns: with a pooler, a session outlives the process that created the table, and a process of another
 * version may get it.
 */
export const STAGING = `contribution_staging_${createHash('sha256').update(STAGING_TABLE).digest('hex').slice(0, 8)}`;

/**
 * A table of the connection's own, emptied by each commit. For the rest of the transaction rows are found by their
 * keys: a plan that was made while a partition was small would read it as a whole for each row, and be kept while it
 * grows.
 */
export const OPEN_STAGING = `
  create temp table if not exists ${STAGING} (${STAGING_TABLE}) on commit delete rows;
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off`;

const ENRICHED = Object.keys(ENRICHED_COLUMNS);
/** All that an import decides about a row. */
export const COMPARED = [...Object.keys(FILED_COLUMNS), ...ENRICHED];
/** What enriching again may change: newer rules may read another donor from the name. */
const REENRICHED = [...ENRICHED, 'donor_key', 'donor_key_v2', 'counts_donor', 'count_reason'];

export const list = (columns: readonly string[], table?: string): string =>
  columns.map((column) => (table ? `${table}.${column}` : column)).join(', ');
const differ = (columns: readonly string[], one: string, other: string): string =>
  `(${list(columns, one)}) is distinct from (${list(columns, other)})`;
export const taken = (columns: readonly string[], from: string): string =>
  columns.map((column) => `${column} = ${from}.${column}`).join(', ');

const TOUCHED = 'donor_touched (committee_id, cycle, donor_key)';

/** Only filings have addresses. A row of a bulk file has that of the filing's row that it replaced, and keeps it. */
const anotherAddress = (row: string, staged: string): string =>
  `(${row}.row_id < 0 and ${row}.address_key is distinct from ${staged}.address_key)`;

/** In the order of keys, so that two chunks with the same rows never wait for each other; of one key the last. */
const STAGED = `(select distinct on (cycle, row_id) * from ${STAGING} where reject_code is null
                 order by cycle, row_id, row_no desc) s`;

/** Rows that are not there yet. $1: number of the release */
export const STORE_NEW = `
  with added as (
    insert into contribution (cycle, row_id, ${list(COMPARED)}, address_key, release_no)
    select cycle, row_id, ${list(COMPARED)}, address_key, $1::smallint from ${STAGED}
    on conflict (cycle, row_id) do nothing
    returning committee_id, cycle, donor_key
  ), touched as (
    insert into ${TOUCHED} select distinct committee_id, cycle, donor_key from added
  )
  select count(*)::int as rows from added`;

/**
 * Stored rows that differ; equal rows are not locked. OFFSET 0 keeps one index look-up per stored row.
 * With the address goes the income of its county. $1: number of the release
 */
export const STORE_CHANGED = `
  with changed as materialized (
    select s.*, c.committee_id as old_committee, c.donor_key as old_donor
    from ${STAGED}
    cross join lateral (select * from contribution c where c.cycle = s.cycle and c.row_id = s.row_id offset 0) c
    where ${differ(COMPARED, 's', 'c')} or ${anotherAddress('c', 's')}
  ), written as (
    update contribution c set ${taken(COMPARED, 's')}, release_no = $1::smallint,
      address_key = case when ${anotherAddress('c', 's')} then s.address_key else c.address_key end,
      hh_income_median = case when ${anotherAddress('c', 's')} then null else c.hh_income_median end
    from changed s
    where c.cycle = s.cycle and c.row_id = s.row_id and (${differ(COMPARED, 'c', 's')} or ${anotherAddress('c', 's')})
    returning c.committee_id, c.cycle, c.donor_key
  ), touched as (
    insert into ${TOUCHED}
    select committee_id, cycle, donor_key from written
    union
    select old_committee, cycle, old_donor from changed
  )
  select count(*)::int as rows from written`;

/** Counties of the stored rows. */
export const STAGED_COUNTIES = `
  select distinct l.fips from ${STAGING} s
  join contribution c on c.cycle = s.cycle and c.row_id = s.row_id join location l on l.address_key = c.address_key
  where l.fips is not null`;

/** A county that is not in $2 was stored a moment ago by the worker that geocoded the address. */
const NEW_INCOME = `case when $2::jsonb ? l.fips then ($2::jsonb ->> l.fips)::int else c.hh_income_median end`;

/**
 * Updates values and donors of rows that are enriched again, if they differ. $1: number of the release; $2: its incomes
 * of STAGED_COUNTIES, by FIPS.
 */
export const UPSERT_REENRICHED = `
  with changed as materialized (
    select s.*, c.committee_id as old_committee, c.donor_key as old_donor, ${NEW_INCOME} as income
    from ${STAGED} join contribution c on c.cycle = s.cycle and c.row_id = s.row_id
    left join location l on l.address_key = c.address_key
    where c.record = s.record and (${differ(REENRICHED, 'c', 's')} or c.hh_income_median is distinct from ${NEW_INCOME})
    order by c.cycle, c.row_id for no key update of c
  ), written as (
    update contribution c set ${taken(REENRICHED, 's')}, hh_income_median = s.income, release_no = $1::smallint
    from changed s where c.cycle = s.cycle and c.row_id = s.row_id
    returning c.committee_id, c.cycle, c.donor_key
  ), touched as (
    insert into ${TOUCHED}
    select committee_id, cycle, donor_key from written
    union
    select old_committee, cycle, old_donor from changed
  )
  select count(*)::int as rows from written`;

/** Numbered downwards from 0: the lines of their file are not known here. $1: the import */
export const STORE_REJECTS = `
  with kept as (
    insert into fec_reject (import_id, line, code, record)
    select $1::bigint, least(0, (select min(line) from fec_reject where import_id = $1::bigint)) - row_number() over (),
           reject_code, record
    from ${STAGING} where reject_code is not null
    returning 1
  )
  select count(*)::int as rows from kept`;

/** Requested first, because every attempt to insert takes a number, and there are 32,767. */
export async function releaseNumber(client: PoolClient, releaseId: string): Promise<number> {
  const known = `select no from enrichment_release where release_id = $1`;
  const found = await client.query<{ no: number }>(known, [releaseId]);
  if (found.rows.length > 0) return found.rows[0].no;
  await client.query(`insert into enrichment_release (release_id) values ($1) on conflict do nothing`, [releaseId]);
  return (await client.query<{ no: number }>(known, [releaseId])).rows[0].no;
}
