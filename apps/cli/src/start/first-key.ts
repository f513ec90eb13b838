import { SCOPES } from '@donorlens/access-keys';
import { type Home, readPrivate, writePrivate } from '../home/home';
import { withKeys } from '../keys/open-keys';

/**
 * Makes sure somebody can use the service: the key of BOOTSTRAP_KEY, or at the first start one of our own, which is
 * printed this once and kept in the home for the batch commands.
 * @returns what the banner says about it
 */
export function firstKey(databaseUrl: string, bootstrapKey: string | undefined, home: Home): Promise<string> {
  return withKeys(databaseUrl, async (keys) => {
    if (bootstrapKey) {
      await keys.ensureBootstrap(bootstrapKey);
      return 'the value of BOOTSTRAP_KEY (all scopes, no limits)';
    }
    await keys.dropBootstrap();
    if ((await keys.count()) > 0)
      return readPrivate(home.key)
        ? `in ${home.key}; more with: bin/donorlens keys issue`
        : 'as issued before; more with: bin/donorlens keys issue';
    const limits = { requestsPerMinute: null, batchRowsPerDay: null }; // the owner of the machine needs none
    const { key } = await keys.issue({ name: 'first start', scopes: SCOPES, ...limits });
    writePrivate(home.key, key);
    return `${key}  (all scopes; shown this once, kept in ${home.key})`;
  });
}
