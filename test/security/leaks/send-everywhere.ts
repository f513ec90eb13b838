import { setTimeout as pause } from 'node:timers/promises';
import { newKey } from '@donorlens/access-keys';
import { signIn } from '../authorization/sessions';
import { type Installation, until } from '../../support/installation';
import { RecordingClient } from './recording-client';
import { CITY, FIRST_NAME, STREETS, SURNAME } from './planted-values';

const JSON_TYPE = 'application/json';
const HEADER = 'first_name,last_name,date,street,city,state,zip';

const row = (at: number, date = '2016-03-01'): string =>
  `${FIRST_NAME},${SURNAME},${date},${STREETS[at % STREETS.length]},${CITY},IL,62701`;

/** Every 50th row has an invalid date. */
const csvOf = (rows: number): string =>
  `${[HEADER, ...Array.from({ length: rows }, (_, at) => row(at, at % 50 === 49 ? FIRST_NAME : '2016-03-01'))].join('\n')}\n`;

const ITEM = {
  contributor_first_name: FIRST_NAME,
  contributor_last_name: SURNAME,
  contributor_street_1: STREETS[0],
  contributor_city: CITY,
  contributor_state: 'IL',
  contributor_zip: '62701',
  contribution_receipt_date: '2016-03-01',
};

interface Journey {
  readonly installation: Installation;
  readonly key: string;
  readonly webhookUrl: string;
}

/**
 * Sends a name and an address to every kind of endpoint, in valid and in invalid requests.
 * @returns the clients with their answers
 */
export async function sendEverywhere({ installation, key, webhookUrl }: Journey): Promise<readonly RecordingClient[]> {
  const [url] = installation.apiUrls;
  const client = new RecordingClient(url, { 'x-api-key': key });
  await sendLookups(client, new RecordingClient(url, {}), key);
  await sendBulkRequests(client);
  const batches = await submitBatches(client, webhookUrl);
  const [worker] = installation.of('worker');
  await pause(300);
  worker.signal('SIGKILL');
  const browser = await upload(url, key);
  await runOperatorActions(client, batches);
  await Promise.all(batches.map((id) => waitUntilEnded(client, id)));
  for (const id of batches)
    for (const path of ['', '/results?format=csv', '/results?format=ndjson', '/errors?format=json', '?format=html'])
      await client.send(`/enrich/v1/batches/${id}${path}`);
  const unauthorized = new RecordingClient(url, { 'x-api-key': newKey().key.replace(/.$/, '~') });
  await unauthorized.send(`/enrich/v1/batches/${batches[0]}`);
  return [client, browser, unauthorized];
}

/** Single lookups, also invalid ones, and with the key in the URL. */
async function sendLookups(client: RecordingClient, anonymous: RecordingClient, key: string): Promise<void> {
  for (const format of ['json', 'csv', 'html']) {
    await client.send(`/enrich/v1/age_gender/name/${FIRST_NAME}/date/2016-03-01?format=${format}`);
    await client.send(`/enrich/v1/ethnicity/surname/${SURNAME}/year/2016?format=${format}`);
  }
  await anonymous.send(`/enrich/v1/age_gender/name/${FIRST_NAME}/date/2016-03-01?apiKey=${key}`);
  await anonymous.send(`/data-charts/v1/about?token=${key}`);
  for (const wrong of [`name/${FIRST_NAME}/date/never`, `name/${FIRST_NAME}/date/2016-03-01?${SURNAME}=1`, FIRST_NAME])
    await client.send(`/enrich/v1/age_gender/${wrong}`);
  await client.send(`/enrich/v1/ethnicity/surname/${SURNAME}/year/${FIRST_NAME}`);
}

async function sendBulkRequests(client: RecordingClient): Promise<void> {
  const contributions = '/enrich/v1/contributions';
  await client.post(contributions, JSON_TYPE, JSON.stringify({ queries: [ITEM, ITEM] }));
  await client.post(contributions, JSON_TYPE, JSON.stringify({ queries: [{ ...ITEM, [SURNAME]: CITY }, FIRST_NAME] }));
  await client.post(contributions, JSON_TYPE, `{"queries": [${JSON.stringify(ITEM)}, ${FIRST_NAME}`);
  await client.post(contributions, `text/${SURNAME}`, FIRST_NAME);
  const surnames = { queries: [{ surname: SURNAME, year: 2016 }] };
  await client.post('/enrich/v1/ethnicity', JSON_TYPE, JSON.stringify(surnames), { prefer: 'respond-async' });
}

/** Files that can be read, and one that cannot. */
async function submitBatches(client: RecordingClient, webhookUrl: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const rows of [400, 4000, 200]) {
    const answer = await client.post('/enrich/v1/batches?type=contributions', 'text/csv', csvOf(rows), {
      'webhook-url': webhookUrl,
    });
    if (answer.status !== 202) throw new Error(`a batch was answered with ${answer.status}: ${answer.body}`);
    ids.push((JSON.parse(answer.body) as { id: string }).id);
  }
  await client.post('/enrich/v1/batches?type=contributions', 'text/csv', `${SURNAME}\n"${FIRST_NAME}`);
  await client.post('/enrich/v1/batches/preview?type=contributions', 'text/csv', csvOf(20));
  return ids;
}

/** Uploads through the pages, in a session. */
async function upload(url: string, key: string): Promise<RecordingClient> {
  const { cookie, csrf } = await signIn(url, key);
  const person = new RecordingClient(url, {
    cookie,
    accept: 'text/html',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'same-origin',
  });
  const form = (): FormData => {
    const fields = new FormData();
    fields.set('type', 'contributions');
    fields.set('file', new File([csvOf(300)], 'donors.csv', { type: 'text/csv' }));
    return fields;
  };
  const query = `?csrf=${encodeURIComponent(csrf)}`;
  await person.send(`/upload/preview${query}`, { method: 'POST', body: form() });
  const { location } = await person.send(`/upload/start${query}`, { method: 'POST', body: form() });
  for (const path of [location, '/', '/upload', '/batches', '/ops']) if (path !== '') await person.send(path);
  const broken = new FormData();
  broken.set('file', new File([`${SURNAME}\n"${FIRST_NAME}`], 'donors.csv'));
  await person.send(`/upload/start${query}`, { method: 'POST', body: broken });
  return person;
}

/** Requests of an operator meanwhile. */
async function runOperatorActions(client: RecordingClient, batches: readonly string[]): Promise<void> {
  const ask = (query: string) => client.send(`/ops/ask?${query}`, { method: 'POST' });
  await ask('action=pause&queue=enrich');
  await ask('action=resume&queue=enrich');
  await ask('action=redrive&queue=enrich');
  await ask('action=retry-addresses&outcome=ERROR');
  await ask('action=refresh&source=charts');
  await ask(`action=cancel-batch&batch=${batches[2]}`);
  await ask(`action=cancel-batch&batch=${SURNAME}`);
  for (const path of ['/ops', '/ops?format=json', '/ops/queues']) await client.send(path);
}

async function waitUntilEnded(client: RecordingClient, id: string): Promise<void> {
  await until(
    `batch ${id} has ended`,
    async () => {
      const { body } = await client.send(`/enrich/v1/batches/${id}`);
      await pause(500);
      return ['completed', 'cancelled', 'failed'].includes((JSON.parse(body) as { state?: string }).state ?? '');
    },
    600_000,
  );
}
