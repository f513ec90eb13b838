import { type Config } from '@donorlens/config';
import { AddressKeys, AddressSecretError, claimSecret } from '@donorlens/locations';
import { type KeyRepository, SCOPES } from '@donorlens/access-keys';
import {
  storedAddressSecret,
  createAddressSecret,
  type Home,
  removeQuietly,
  readPrivate,
  writePrivate,
} from '../home/home';
import { withPool } from '../with-pool';
import { withKeys } from '../keys/open-keys';

/**
 * Returns the secret that hashes addresses: ADDRESS_SECRET, or else that of the home, or else a new one. A new one is
 * stored on disk before the database records it, so a crash cannot lose it. It is deleted if the database rejects it.
 * @throws CliError or AddressSecretError, both with exit code 2, if the secret is unusable or the database rejects it
 */
export async function claimAddressSecret(
  config: Pick<Config, 'addressSecret' | 'geocoder'>,
  databaseUrl: string,
  home: Home,
): Promise<string> {
  const known = config.addressSecret ?? storedAddressSecret(home);
  const addressSecret = known ?? createAddressSecret(home);
  const keys = AddressKeys.fromConfig({ ...config, addressSecret });
  try {
    await withPool(databaseUrl, (pool) => claimSecret(pool, keys));
  } catch (error) {
    if (known === null && error instanceof AddressSecretError) removeQuietly(home.addressSecret);
    throw error;
  }
  return addressSecret;
}

/** Information about the API key for the banner. */
export interface FirstKey {
  readonly text: string;
  /** Whether the home stores the key, so that commands on this machine find it. */
  readonly isKept: boolean;
  /** Whether the database was restored, so that every request fails with 503 until `keys confirm`. */
  readonly isUnconfirmed: boolean;
}

/**
 * Creates the first API key. It is the value of BOOTSTRAP_KEY, or at the first start a new key, which is printed once
 * and stored in the home for the batch commands.
 * @param confirmsTimeline - CONFIRM_NEW_TIMELINE of the roles
 */
export function createFirstKey(
  databaseUrl: string,
  bootstrapKey: string | undefined,
  home: Home,
  confirmsTimeline: boolean,
): Promise<FirstKey> {
  return withKeys(databaseUrl, async (keys) => {
    const state = await keys.installationState();
    const isUnconfirmed = state === 'restored' || (state === 'new-timeline' && confirmsTimeline);
    return { ...(await firstKey(keys, bootstrapKey, home)), isUnconfirmed };
  });
}

async function firstKey(
  keys: KeyRepository,
  bootstrapKey: string | undefined,
  home: Home,
): Promise<Omit<FirstKey, 'isUnconfirmed'>> {
  if (bootstrapKey) {
    await keys.ensureBootstrap(bootstrapKey);
    return { text: 'the value of BOOTSTRAP_KEY (all scopes, no limits)', isKept: false };
  }
  await keys.revokeBootstrap();
  if ((await keys.count()) > 0)
    return readPrivate(home.key)
      ? { text: `in ${home.key}; issue another with: bin/donorlens keys issue --name NAME`, isKept: true }
      : { text: 'as issued before; issue another with: bin/donorlens keys issue --name NAME', isKept: false };
  const limits = { requestsPerMinute: null, batchRowsPerDay: null }; // the owner of the machine needs no limits
  const { key } = await keys.issue({ name: 'first start', scopes: SCOPES, ...limits });
  writePrivate(home.key, key);
  return { text: `${key}  (all scopes; shown once, stored in ${home.key})`, isKept: true };
}
