import { createHash } from 'node:crypto';
import { type PoolClient } from 'pg';

/** Columns that enrichment computes. Another data release can change them. */
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
  /** Median income of the county of the ZIP, used if the row has no address. */
  zip_income: 'int',
  /** First name as a key of the SSA birth files. */
  first_name: 'text',
} as const;

/** Columns that are computed from the record as filed. */
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
  /** Position in the chunk. Of several rows with the same key, the last is stored. */
  row_no: 'int',
  /** Reason why the record cannot be stored. Such a row has no key, and `record` is the whole line. */
  reject_code: 'text',
  cycle: 'smallint',
  row_id: 'bigint',
  ...FILED_COLUMNS,
  ...ENRICHED_COLUMNS,
  /** Set for a row of a filing whose address can be geocoded. */
  address_key: 'bytea',
} as const;

/**
 * Columns of the COPY lines that ContributionStore reads, in order. An import does not change the other columns:
 * hh_income_median comes from the address and is_copy from other rows.
 */
export const STAGING_COLUMNS = Object.keys(STAGING_TYPES) as readonly (keyof typeof STAGING_TYPES)[];

/** Column definitions for CREATE TABLE. */
const STAGING_TABLE = Object.entries(STAGING_TYPES)
  .map((column) => column.join(' '))
  .join(', ');

/**
 * The name contains a hash of the columns. Behind a connection pooler, a session outlives the process that created the
 * table, and a process of another software release may reuse it.
 */
export const STAGING = `contribution_staging_${createHash('sha256').update(STAGING_TABLE).digest('hex').slice(0, 8)}`;

/**
 * Creates the temporary table of the connection, which each commit empties. Until the transaction ends, rows are found
 * by index: a plan made for a small partition would scan the partition for each row, also after it has grown.
 */
export const OPEN_STAGING = `
  create temp table if not exists ${STAGING} (${STAGING_TABLE}) on commit delete rows;
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off`;

const ENRICHED = Object.keys(ENRICHED_COLUMNS);
/** Columns that an import writes. */
export const COMPARED = [...Object.keys(FILED_COLUMNS), ...ENRICHED];
/** Columns that a repeated enrichment may change: newer rules may parse another donor from the name. */
const REENRICHED = [...ENRICHED, 'donor_key', 'donor_key_v2', 'counts_donor', 'count_reason'];

export const list = (columns: readonly string[], table?: string): string =>
  columns.map((column) => (table ? `${table}.${column}` : column)).join(', ');
const differ = (columns: readonly string[], one: string, other: string): string =>
  `(${list(columns, one)}) is distinct from (${list(columns, other)})`;
export const taken = (columns: readonly string[], from: string): string =>
  columns.map((column) => `${column} = ${from}.${column}`).join(', ');

const TOUCHED = 'donor_touched (committee_id, cycle, donor_key)';

/** Only filings contain addresses. A row of the bulk files keeps the address that it got from its twin in a filing. */
const anotherAddress = (row: string, staged: string): string =>
  `(${row}.row_id < 0 and ${row}.address_key is distinct from ${staged}.address_key)`;

/** The last row of each key, in the order of keys, so that two chunks with common rows do not deadlock. */
const STAGED = `(select distinct on (cycle, row_id) * from ${STAGING} where reject_code is null
                 order by cycle, row_id, row_no desc) s`;

/** Inserts rows that are not stored yet. $1: number of the release */
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
 * Updates stored rows that differ; equal rows are not locked. OFFSET 0 forces one index lookup per staged row.
 * If the address changes, the income of its county is cleared. $1: number of the release
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

/** Counties of the stored rows that have the same keys as the staged rows. */
export const STAGED_COUNTIES = `
  select distinct l.fips from ${STAGING} s
  join contribution c on c.cycle = s.cycle and c.row_id = s.row_id join location l on l.address_key = c.address_key
  where l.fips is not null`;

/** A county that is not in $2 was stored after STAGED_COUNTIES ran, by a worker that geocoded the address. */
const NEW_INCOME = `case when $2::jsonb ? l.fips then ($2::jsonb ->> l.fips)::int else c.hh_income_median end`;

/**
 * Updates enriched values and donors of rows that are enriched again, if they differ. $1: number of the release; $2:
 * its incomes of STAGED_COUNTIES by FIPS
 */
export const UPDATE_REENRICHED = `
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

/** Numbers rejects downwards from -1, because a chunk has no line numbers of the file. $1: id of the import */
export const STORE_REJECTS = `
  with kept as (
    insert into fec_reject (import_id, line, code, record)
    select $1::bigint, least(0, (select min(line) from fec_reject where import_id = $1::bigint)) - row_number() over (),
           reject_code, record
    from ${STAGING} where reject_code is not null
    returning 1
  )
  select count(*)::int as rows from kept`;

/** Reads before it inserts: each attempt to insert consumes one of the 32,767 sequence numbers. */
export async function releaseNumber(client: PoolClient, releaseId: string): Promise<number> {
  const known = `select no from enrichment_release where release_id = $1`;
  const found = await client.query<{ no: number }>(known, [releaseId]);
  if (found.rows.length > 0) return found.rows[0].no;
  await client.query(`insert into enrichment_release (release_id) values ($1) on conflict do nothing`, [releaseId]);
  return (await client.query<{ no: number }>(known, [releaseId])).rows[0].no;
}
