import { type BatchAddresses } from '@donorlens/batches';
import { inTransaction } from '@donorlens/database';
import { type AddressKeys, type PostalAddress } from '@donorlens/locations';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { type Pool } from 'pg';

/** The outcome of an address, as if a geocoder had returned it. */
export interface GeocodedByTest {
  readonly address: PostalAddress;
  readonly outcome: GeocodeOutcome;
  readonly fips?: string;
  readonly tract?: string;
  readonly block?: string;
  /** The address in the form of the geocoder. */
  readonly matchedAddress?: string;
}

const STORED = `insert into location (address_key, outcome, is_exact, fips, tract, block, address_id)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/** Stores outcomes and updates the batches that wait for them, in one transaction. */
export async function locate(
  pool: Pool,
  keys: AddressKeys,
  addresses: BatchAddresses,
  answers: readonly GeocodedByTest[],
): Promise<void> {
  const geocoded = answers.map(({ address, ...answer }) => ({ ...answer, key: keyOf(keys, address) }));
  await inTransaction(pool, async (client) => {
    const asked = geocoded.map(({ key }) => key);
    await client.query('select 1 from geocode_address where address_key = any($1) for update', [asked]);
    for (const { key, outcome, fips, tract, block, matchedAddress } of geocoded)
      await client.query(STORED, [
        key,
        GEOCODE_OUTCOMES.indexOf(outcome),
        outcome === 'MATCH' ? true : null,
        fips ?? null,
        tract ?? null,
        block ?? null,
        matchedAddress === undefined ? null : keys.addressIdOf(matchedAddress),
      ]);
    await client.query('delete from geocode_address where address_key = any($1)', [asked]);
    await addresses.applyOutcomes(client, geocoded);
  });
}

function keyOf(keys: AddressKeys, address: PostalAddress): Buffer {
  const key = keys.keyOf(address);
  if (key === null) throw new Error('this address is not geocoded');
  return key;
}
