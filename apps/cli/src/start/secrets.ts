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
 * What the roles hash addresses with: ADDRESS_SECRET, else what the home keeps, else a new one. It is on the disk before
 * the database learns of it, so a crash in between cannot lose it; one that this database does not want is not kept.
 * @throws CliError or AddressSecretError, both with exit code 2, before anything is started with a wrong one
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

/** What the banner says about the key. */
export interface FirstKey {
  readonly text: string;
  /** In the home, where the commands of this machine find it. */
  readonly isKept: boolean;
  /** The database was restored: every request is a 503 until `keys confirm`. */
  readonly isUnconfirmed: boolean;
}

/**
 * Creates a first API key: that of BOOTSTRAP_KEY, or at the first start a new one, which is printed once and stored in the
 * home for the batch commands.
 * @param confirmsTimeline - as CONFIRM_NEW_TIMELINE of the roles
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
  await keys.dropBootstrap();
  if ((await keys.count()) > 0)
    return readPrivate(home.key)
      ? { text: `in ${home.key}; more with: bin/donorlens keys issue`, isKept: true }
      : { text: 'as issued before; more with: bin/donorlens keys issue', isKept: false };
  const limits = { requestsPerMinute: null, batchRowsPerDay: null }; // the owner of the machine needs none
  const { key } = await keys.issue({ name: 'first start', scopes: SCOPES, ...limits });
  writePrivate(home.key, key);
  return { text: `${key}  (all scopes; shown once, stored in ${home.key})`, isKept: true };
}
