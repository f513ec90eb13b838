import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withKeys } from '../../../apps/cli/src/keys/open-keys';
import { Installation, KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { SCOPES } from '../authorization/doors';
import { Client, type Seen } from './browser';
import { canariesOf } from './secrets';
import { type Group, KEPT, reportOf } from './findings';
import { failingGeocoder } from './geocoder';
import { importDonor } from './import-donor';
import { journey } from './journey';
import { Listener } from './listener';
import { type Place, RedisWatch, columnsOf, filesBelow } from './places';

/** Sends a key, a name, an address and its coordinates everywhere, and looks where they are found afterwards. */
export async function searchLeaks(): Promise<Report> {
  const geocoder = await failingGeocoder();
  const listener = await Listener.start();
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-canary-'));
  const installation = await Installation.start({
    queue: 'redis',
    tuning: 'test',
    geocoderUrl: geocoder.url,
    environment: {
      LOG_LEVEL: 'debug',
      TMPDIR: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: listener.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
      WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${new URL(listener.url).port}`,
      CHUNK_ROWS: '100',
      GEOCODE_CALL_ROWS: '20',
      GEOCODE_PATIENCE_SECONDS: '20',
    },
  });
  try {
    return await watched(installation, listener, await geocoder.coordinates(), folder);
  } finally {
    await installation.stop();
    await Promise.all([geocoder.stop(), listener.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The whole run, and all that was written and said in it. */
async function watched(
  installation: Installation,
  listener: Listener,
  coordinates: readonly string[],
  folder: string,
): Promise<Report> {
  const { home, postgres, redis, apiUrls } = installation;
  if (redis === undefined) throw new Error('an installation without its Redis');
  const watch = await RedisWatch.start(redis.url);
  const [mine, other] = [await issued(installation, 'one client'), await issued(installation, 'another client')];
  const clients = await journey({ installation, key: mine, webhookUrl: `${listener.url}/hook` });
  const said = await importDonor(installation);
  const stranger = new Client(apiUrls[0], { 'x-api-key': other });
  for (const path of ['/', '/batches', '/upload', '/enrich/v1/batches', '/ops', '/ops?format=json', '/ops/queues'])
    await stranger.ask(path, { headers: { accept: 'text/html' } });
  const metrics = await metricsOf([...apiUrls, ...installation.metricsUrls]);
  const columns = await columnsOf(postgres.url);
  watch.stop();
  const groups: readonly Group[] = [
    ['logs of the roles, level debug', filesBelow(join(home, 'logs'), /^(postgres|redis)/)],
    ['log of Postgres', filesBelow(join(home, 'logs'), /^(?!postgres)/)],
    ['log of Redis', filesBelow(join(home, 'logs'), /^(?!redis)/)],
    ['tables, other columns than those below', columns.filter(({ name }) => !KEPT.has(name))],
    ['everything sent to Redis', [{ name: 'commands', text: watch.text }]],
    ['files of Redis', filesBelow(join(home, 'redis'))],
    ['metrics of api, worker and aggregator', metrics],
    ['traces', [{ name: 'spans', text: listener.traces }]],
    ['messages to the webhook', [{ name: 'messages', text: listener.messages }]],
    ...answersOf(clients.flatMap(({ seen }) => seen)),
    ['pages of another key and of the console', stranger.seen.map(({ asked, body }) => ({ name: asked, text: body }))],
    ['what the import said', [{ name: 'import fec', text: said }]],
    ['files in the home and the temporary folder', [...filesBelow(join(home, 'donorlens')), ...filesBelow(folder)]],
  ];
  return reportOf(groups, columns, canariesOf([mine, KEY], coordinates));
}

const issued = ({ postgres }: Installation, name: string): Promise<string> =>
  withKeys(postgres.url, async (keys) => {
    const { key } = await keys.issue({ name, scopes: SCOPES, requestsPerMinute: null, batchRowsPerDay: null });
    return key;
  });

const metricsOf = (urls: readonly string[]): Promise<readonly Place[]> =>
  Promise.all(
    urls.map(async (url, at) => {
      const answer = await fetch(`${url}/metrics`, { headers: { 'x-api-key': KEY } });
      return { name: `metrics ${at}`, text: await answer.text() };
    }),
  );

/** A page of a form shows its own rows again: that is no fault. */
const answersOf = (seen: readonly Seen[]): readonly Group[] => [
  [
    'answers with a fault',
    seen
      .filter(({ status }) => status >= 400)
      .map(({ asked, status, body }) => ({ name: `${asked} ${status}`, text: body })),
  ],
  ['addresses that answers lead to', seen.map(({ asked, location }) => ({ name: asked, text: location }))],
];
