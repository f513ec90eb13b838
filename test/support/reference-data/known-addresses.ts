import { ContributionStore } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { GEOCODE_OUTCOMES, type Location } from '@donorlens/primitives';
import { type Pool, type PoolClient } from 'pg';

/** Keys with a secret that only tests use. */
export const ADDRESS_KEYS = new AddressKeys({
  secret: 'a secret of the tests alone',
  benchmark: 'Public_AR_Current',
  vintage: 'Census2020_Current',
});

export interface KnownAddress extends Partial<Location> {
  readonly key: Buffer;
}

/** Stores geocoded locations and deletes the pending addresses, as after an answer of the geocoder. */
export async function storeLocations(db: Pool | PoolClient, known: readonly KnownAddress[]): Promise<void> {
  for (const { key, outcome = 'MATCH', fips = null, tract = null, block = null, addressId = null } of known) {
    await db.query(
      `insert into location (address_key, outcome, fips, tract, block, address_id)
       values ($1, $2, $3, $4, $5, decode($6, 'hex'))`,
      [key, GEOCODE_OUTCOMES.indexOf(outcome), fips, tract, block, addressId],
    );
    await db.query('delete from geocode_address where address_key = $1', [key]);
  }
}

/** Stores locations and updates contributions, in one transaction. @returns the number of changed contributions */
export function locateContributions(
  pool: Pool,
  known: readonly KnownAddress[],
  incomeOf: (fips: string) => number | null,
): Promise<number> {
  const store = new ContributionStore(new LocationRepository(pool, null));
  const geocoded = known.map(({ key, fips = null }) => ({ key, fips }));
  return inTransaction(pool, async (client) => {
    await storeLocations(client, known);
    return store.storeLocations(client, geocoded, incomeOf);
  });
}
