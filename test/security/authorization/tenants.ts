import { randomUUID } from 'node:crypto';
import { until } from '../../support/installation';
import { type GuardedRoute, urlPathOf } from './guarded-routes';
import { type Answer, type Mismatch, send } from './requests';

/** Headers with the credentials of a client. */
export type Credentials = Readonly<Record<string, string>>;

const CSV = 'first_name,last_name,date\nMary,Smith,2016-03-01\n';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
/** Requests that end a batch; they are sent last. */
const DESTRUCTIVE = /cancel|delete/;

/** Submits a small batch and waits until it has completed. @returns its id */
export async function completedBatch(url: string, headers: Credentials): Promise<string> {
  const answer = await send(`${url}/enrich/v1/batches?type=contributions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: CSV,
  });
  const { id } = JSON.parse(answer.body) as { id: string };
  await until(
    'the batch has completed',
    async () => {
      const { body } = await send(`${url}/enrich/v1/batches/${id}`, { headers });
      return (JSON.parse(body) as { state: string }).state === 'completed';
    },
    60_000,
  );
  return id;
}

/** Routes of one batch, those that end it last. */
export const batchRoutes = (routes: readonly GuardedRoute[]): readonly GuardedRoute[] => {
  const own = routes.filter(({ template }) => /\/batches\/:id/.test(template));
  const rank = ({ method, template }: GuardedRoute): number =>
    Number(method === 'DELETE' || DESTRUCTIVE.test(template));
  return [...own].sort((a, b) => rank(a) - rank(b));
};

/**
 * Requests another key's batch and one that does not exist: both answers must be the same 404.
 * @param credentials - of another client: its key, its session
 */
export async function requestForeignBatch(
  url: string,
  routes: readonly GuardedRoute[],
  batchId: string,
  credentials: Readonly<Record<string, { readonly headers: Credentials; readonly query?: string }>>,
): Promise<{ readonly asked: number; readonly mismatches: readonly Mismatch[] }> {
  const mismatches: Mismatch[] = [];
  let count = 0;
  for (const [caller, { headers, query = '' }] of Object.entries(credentials))
    for (const route of routes)
      for (const more of [{}, NAVIGATION]) {
        const init = { method: route.method, headers: { ...headers, ...(route.method === 'POST' && FORM), ...more } };
        const foreign = await send(url + urlPathOf(route, batchId) + query, init);
        const unknown = await send(url + urlPathOf(route, randomUUID()) + query, init);
        count += 1;
        if (foreign.status !== 404 || !isSameAnswer(foreign, unknown))
          mismatches.push({
            caller,
            route: `${route.method} ${route.template}`,
            expected: '404',
            status: foreign.status,
          });
      }
  return { asked: count, mismatches };
}

/** Compares answers without the ids in them. */
const isSameAnswer = (one: Answer, other: Answer): boolean =>
  one.status === other.status && one.headers === other.headers && withoutIds(one.body) === withoutIds(other.body);

const withoutIds = (body: string): string => body.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '');

/** Compares lists and webhook secrets of two keys. @returns what one key sees of the other */
export async function findIsolationFaults(
  url: string,
  mine: Credentials,
  theirs: Credentials,
  batchId: string,
): Promise<string[]> {
  const wrong: string[] = [];
  const text = async (path: string, headers: Credentials) => (await send(url + path, { headers })).body;
  for (const path of ['/enrich/v1/batches', '/batches']) {
    if (!(await text(path, mine)).includes(batchId)) wrong.push(`${path} does not list a batch of the key's own`);
    if ((await text(path, theirs)).includes(batchId)) wrong.push(`${path} lists a batch of another key`);
  }
  const secret = '/enrich/v1/webhook-secret';
  if ((await text(secret, mine)) === (await text(secret, theirs))) wrong.push('two keys have one webhook secret');
  return [...wrong, ...(await findSharedIdempotency(url, mine, theirs))];
}

/** The same Idempotency-Key of two clients must create two batches. */
async function findSharedIdempotency(url: string, mine: Credentials, theirs: Credentials): Promise<string[]> {
  const key = randomUUID();
  const submit = async (headers: Credentials, body: string): Promise<Answer> =>
    send(`${url}/enrich/v1/batches?type=contributions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv', 'idempotency-key': key },
      body,
    });
  const first = await submit(mine, CSV);
  const second = await submit(theirs, `${CSV}Linda,Garcia,2016-03-01\n`);
  const ids = [first, second].map(({ body }) => (JSON.parse(body) as { id?: string }).id);
  const separate = first.status === 202 && second.status === 202 && ids[0] !== ids[1];
  return separate ? [] : [`an Idempotency-Key is shared by two keys: ${first.status}, ${second.status}`];
}
