import { SCOPES } from '@donorlens/access-keys';
import { type Home, readPrivate, writePrivate } from '../home/home';
import { withKeys } from '../keys/open-keys';

/** What the banner says about the key. */
export interface FirstKey {
  readonly text: string;
  /** In the home, where the commands of this machine find it. */
  readonly isKept: boolean;
}

/**
 * Makes sure somebody can use the service: the key of BOOTSTRAP_KEY, or at the first start one of our own, which is
 * printed this once and kept in the home for the batch commands.
 */
export function firstKey(databaseUrl: string, bootstrapKey: string | undefined, home: Home): Promise<FirstKey> {
  return withKeys(databaseUrl, async (keys) => {
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
    return { text: `${key}  (all scopes; shown this once, kept in ${home.key})`, isKept: true };
  });
}
