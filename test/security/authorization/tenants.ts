import { randomUUID } from 'node:crypto';
import { until } from '../../support/installation';
import { type Door, addressOf } from './doors';
import { type Answer, type Misfit, asked } from './requests';

/** A client: how it comes. */
export type Credentials = Readonly<Record<string, string>>;

const CSV = 'first_name,last_name,date\nMary,Smith,2016-03-01\n';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
/** What ends a batch comes last. */
const DESTRUCTIVE = /cancel|delete/;

/** Submits a small batch and waits until it is done. @returns its id */
export async function batchOf(url: string, headers: Credentials): Promise<string> {
  const answer = await asked(`${url}/enrich/v1/batches?type=contributions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: CSV,
  });
  const { id } = JSON.parse(answer.body) as { id: string };
  await until(
    'the batch has completed',
    async () => {
      const { body } = await asked(`${url}/enrich/v1/batches/${id}`, { headers });
      return (JSON.parse(body) as { state: string }).state === 'completed';
    },
    60_000,
  );
  return id;
}

/** Doors behind which things of one key are, the harmless ones first. */
export const doorsOfBatches = (doors: readonly Door[]): readonly Door[] => {
  const own = doors.filter(({ template }) => /\/batches\/:id/.test(template));
  const rank = ({ method, template }: Door): number => Number(method === 'DELETE' || DESTRUCTIVE.test(template));
  return [...own].sort((a, b) => rank(a) - rank(b));
};

/**
 * Asks for another key's batch, and for one that never was: the two answers are the same 404.
 * @param ways  the stranger's ways to come: its key, its session
 */
export async function askForOthers(
  url: string,
  doors: readonly Door[],
  batchId: string,
  ways: Readonly<Record<string, { readonly headers: Credentials; readonly query?: string }>>,
): Promise<{ readonly asked: number; readonly misfits: readonly Misfit[] }> {
  const misfits: Misfit[] = [];
  let count = 0;
  for (const [guest, { headers, query = '' }] of Object.entries(ways))
    for (const door of doors)
      for (const more of [{}, NAVIGATION]) {
        const init = { method: door.method, headers: { ...headers, ...(door.method === 'POST' && FORM), ...more } };
        const theirs = await asked(url + addressOf(door, batchId) + query, init);
        const nobodys = await asked(url + addressOf(door, randomUUID()) + query, init);
        count += 1;
        if (theirs.status !== 404 || !alike(theirs, nobodys))
          misfits.push({ guest, door: `${door.method} ${door.template}`, expected: '404', status: theirs.status });
      }
  return { asked: count, misfits };
}

/** Ids are of one length, and a page repeats the one that was asked for nowhere. */
const alike = (one: Answer, other: Answer): boolean =>
  one.status === other.status && one.headers === other.headers && withoutIds(one.body) === withoutIds(other.body);

const withoutIds = (body: string): string => body.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '');

/** What lists show, and secrets of, two keys: nothing of each other's. @returns what is wrong */
export async function mixUps(url: string, mine: Credentials, theirs: Credentials, batchId: string): Promise<string[]> {
  const wrong: string[] = [];
  const text = async (path: string, headers: Credentials) => (await asked(url + path, { headers })).body;
  for (const path of ['/enrich/v1/batches', '/batches']) {
    if (!(await text(path, mine)).includes(batchId)) wrong.push(`${path} does not list a batch of the key's own`);
    if ((await text(path, theirs)).includes(batchId)) wrong.push(`${path} lists a batch of another key`);
  }
  const secret = '/enrich/v1/webhook-secret';
  if ((await text(secret, mine)) === (await text(secret, theirs))) wrong.push('two keys have one webhook secret');
  return [...wrong, ...(await sharedIdempotency(url, mine, theirs))];
}

/** The same Idempotency-Key of two clients is two keys. */
async function sharedIdempotency(url: string, mine: Credentials, theirs: Credentials): Promise<string[]> {
  const key = randomUUID();
  const submit = async (headers: Credentials, body: string): Promise<Answer> =>
    asked(`${url}/enrich/v1/batches?type=contributions`, {
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
