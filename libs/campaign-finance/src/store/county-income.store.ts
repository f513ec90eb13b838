import { type PoolClient } from 'pg';
import { type Fips } from '@donorlens/primitives';
import { STAGED_COUNTIES } from './contribution-staging.store';

/** Median household income of the county of the address or, without an address, of the ZIP. @param row - table alias */
export const contributionIncome = (row: string): string =>
  `coalesce(${row}.hh_income_median, case when ${row}.address_key is null then ${row}.zip_income end)`;

/** The part of a geocoding result that is stored with contributions. */
export interface AddressCounty {
  readonly key: Buffer;
  /** Null if the address has no county. */
  readonly fips: Fips | null;
}

/** Returns the median household income of the county in dollars a year; null if there is no estimate. */
export type IncomeFinder = (fips: Fips) => number | null;

/** Returns the addresses whose county is known. */
export async function knownCounties(
  client: PoolClient,
  addresses: readonly { readonly key: Buffer }[],
): Promise<AddressCounty[]> {
  const { rows } = await client.query<AddressCounty>(
    'select address_key as key, fips from location where address_key = any ($1) and fips is not null',
    [addresses.map(({ key }) => key)],
  );
  return rows;
}

/** Incomes by FIPS of the counties that are stored for the staged rows. */
export async function stagedIncomes(client: PoolClient, incomeOf: IncomeFinder): Promise<Record<Fips, number | null>> {
  const { rows } = await client.query<{ fips: Fips }>({ name: 'contribution-counties', text: STAGED_COUNTIES });
  return Object.fromEntries(rows.map(({ fips }) => [fips, incomeOf(fips)]));
}

/**
 * Locks rows in the order of their keys, as every statement that stores them. Skips rows that another transaction has
 * removed or changed in between. $1: address keys; $2: income of each
 */
export const UPDATE_INCOMES = `
  with found as materialized (
    select c.cycle, c.row_id, known.key, known.income
    from unnest($1::bytea[], $2::int[]) as known (key, income) join contribution c on c.address_key = known.key
    where c.hh_income_median is distinct from known.income
  ), changed as materialized (
    select c.cycle, c.row_id, found.income
    from found join contribution c on c.cycle = found.cycle and c.row_id = found.row_id
    where c.address_key = found.key and c.hh_income_median is distinct from found.income
    order by c.cycle, c.row_id for no key update of c
  ), written as (
    update contribution c set hh_income_median = changed.income
    from changed where c.cycle = changed.cycle and c.row_id = changed.row_id
    returning c.committee_id, c.cycle, c.donor_key
  ), touched as (
    insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from written
  )
  select (select count(*) from found)::int as found, count(*)::int as rows from written`;

/** Forces index scans in each partition: the planner cannot estimate the number of rows of an address. */
export const BY_INDEX =
  'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';
const BY_ANY_WAY = 'set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on';

/**
 * Updates the incomes of all rows of the addresses. A row that was deleted while this transaction waited for its lock
 * may have passed its address to a row that was not visible before: the statement then runs again.
 * @returns number of changed rows; their donors are touched
 */
export async function updateIncomes(
  client: PoolClient,
  geocoded: readonly AddressCounty[],
  incomeOf: IncomeFinder,
): Promise<number> {
  if (geocoded.length === 0) return 0;
  const incomes = geocoded.map(({ fips }) => (fips === null ? null : incomeOf(fips)));
  await client.query(BY_INDEX);
  const keys = geocoded.map(({ key }) => key);
  let changed = 0;
  for (let isAll = false; !isAll;) {
    const { rows } = await client.query<{ found: number; rows: number }>(UPDATE_INCOMES, [keys, incomes]);
    changed += rows[0].rows;
    isAll = rows[0].rows === rows[0].found;
  }
  await client.query(BY_ANY_WAY);
  return changed;
}
