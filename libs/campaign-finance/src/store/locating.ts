import { type PoolClient } from 'pg';
import { type Fips } from '@donorlens/primitives';

/** What a geocoder said of an address, as far as contributions keep it themselves. */
export interface LocatedAddress {
  readonly key: Buffer;
  /** Null where it has no county. */
  readonly fips: Fips | null;
}

/** Dollars a year, median of the county; null where there is no estimate. */
export type IncomeFinder = (fips: Fips) => number | null;

/** Those of the addresses whose county is known. */
export async function knownCounties(
  client: PoolClient,
  addresses: readonly { readonly key: Buffer }[],
): Promise<LocatedAddress[]> {
  const { rows } = await client.query<LocatedAddress>(
    'select address_key as key, fips from location where address_key = any ($1) and fips is not null',
    [addresses.map(({ key }) => key)],
  );
  return rows;
}

/** Rows are locked in the order of their keys, as by whoever stores them. $1: address keys; $2: income of each */
export const TELL_INCOMES = `
  with changed as materialized (
    select c.cycle, c.row_id, told.income
    from unnest($1::bytea[], $2::int[]) as told (key, income) join contribution c on c.address_key = told.key
    where c.hh_income_median is distinct from told.income
    order by c.cycle, c.row_id for no key update of c
  ), written as (
    update contribution c set hh_income_median = changed.income
    from changed where c.cycle = changed.cycle and c.row_id = changed.row_id
    returning c.committee_id, c.cycle, c.donor_key
  ), touched as (
    insert into donor_touched (committee_id, cycle, donor_key) select distinct committee_id, cycle, donor_key from written
  )
  select count(*)::int as rows from written`;

/** How many rows an address has is not known to the planner; it finds them by index in each partition. */
export const BY_INDEX =
  'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';
const BY_ANY_WAY = 'set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on';

/** @returns rows that changed; their donors are touched */
export async function tellIncomes(
  client: PoolClient,
  located: readonly LocatedAddress[],
  incomeOf: IncomeFinder,
): Promise<number> {
  if (located.length === 0) return 0;
  const incomes = located.map(({ fips }) => (fips === null ? null : incomeOf(fips)));
  await client.query(BY_INDEX);
  const { rows } = await client.query<{ rows: number }>(TELL_INCOMES, [located.map(({ key }) => key), incomes]);
  await client.query(BY_ANY_WAY);
  return rows[0].rows;
}
