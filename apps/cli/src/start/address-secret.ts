import { type Config } from '@donorlens/config';
import { AddressKeys, AddressSecretError, claimSecret } from '@donorlens/locations';
import { keptSecret, newSecret } from '../home/address-secret';
import { type Home, removeQuietly } from '../home/home';
import { withPool } from '../with-pool';

/**
 * What the roles hash addresses with: ADDRESS_SECRET, else what the home keeps, else a new one. It is on the disk before
 * the database learns of it, so a crash in between cannot lose it; one that this database does not want is not kept.
 * @throws CliError or AddressSecretError, both with exit code 2, before anything is started with a wrong one
 */
export async function claimedSecret(
  config: Pick<Config, 'addressSecret' | 'geocoder'>,
  databaseUrl: string,
  home: Home,
): Promise<string> {
  const known = config.addressSecret ?? keptSecret(home);
  const addressSecret = known ?? newSecret(home);
  const keys = AddressKeys.of({ ...config, addressSecret });
  try {
    await withPool(databaseUrl, (pool) => claimSecret(pool, keys));
  } catch (error) {
    if (known === null && error instanceof AddressSecretError) removeQuietly(home.addressSecret);
    throw error;
  }
  return addressSecret;
}
