import { Client } from 'pg';
import { type Scope, newKey } from '@donorlens/access-keys';
import { withKeys } from '../../../apps/cli/src/keys/open-keys';
import { until } from '../../support/installation';
import { type Keys, SCOPES } from './guarded-routes';
import { send } from './requests';

/** Keys of all callers, and one of another client. */
export interface IssuedKeys extends Keys {
  readonly other: string;
  /** Well formed, but never issued. */
  readonly unknown: () => string;
  /** Well formed, with the prefix of an existing key; a different one with each call. */
  readonly wrongSecret: () => string;
}

const PREFIXES = 40;

/** Issues the keys and waits until the api has read them. */
export async function issueKeys(databaseUrl: string, url: string): Promise<IssuedKeys> {
  const unlimited = { requestsPerMinute: null, batchRowsPerDay: null };
  const issued = await withKeys(databaseUrl, async (keys) => {
    const issue = (name: string, scopes: readonly Scope[], expiresAt?: Date) =>
      keys.issue({ ...unlimited, name, scopes, expiresAt });
    const full = await issue('one client', SCOPES);
    const other = await issue('another client', SCOPES);
    const ofScope: [Scope, string][] = [];
    for (const scope of SCOPES) ofScope.push([scope, (await issue(scope, [scope])).key]);
    const expired = await issue('expired', SCOPES, new Date(Date.now() - 1000));
    const revoked = await issue('revoked', SCOPES);
    await keys.revoke(revoked.id);
    const others: string[] = [];
    for (let n = 0; n < PREFIXES; n++) others.push((await issue(`prefix ${n}`, ['ops'])).id);
    return { full, other, ofScope, expired, revoked, others };
  });
  const wrong = await keysWithPrefixOf(databaseUrl, issued.others);
  await until(
    'the api knows the keys',
    async () => (await send(`${url}/batches`, { headers: { 'x-api-key': issued.other.key } })).status === 200,
    30_000,
  );
  let next = 0;
  return {
    full: issued.full.key,
    other: issued.other.key,
    ofScope: Object.fromEntries(issued.ofScope) as Record<Scope, string>, // one of each
    invalid: {
      'any text': 'letmein-letmein',
      'a typing error': issued.full.key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      'unknown key': newKey().key,
      'wrong secret': wrong[0],
      'expired key': issued.expired.key,
      'revoked key': issued.revoked.key,
    },
    unknown: () => newKey().key,
    wrongSecret: () => wrong[next++ % wrong.length],
  };
}

/** The checksum of a key covers its prefix, so the stored prefix is set to that of a new key. */
async function keysWithPrefixOf(databaseUrl: string, ids: readonly string[]): Promise<readonly string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const keys = ids.map(() => newKey());
    for (const [at, { prefix }] of keys.entries())
      await client.query('update api_key set prefix = $1 where id = $2', [prefix, ids[at]]);
    return keys.map(({ key }) => key);
  } finally {
    await client.end();
  }
}
