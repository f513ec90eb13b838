import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withKeys } from '../../../apps/cli/src/keys/open-keys';
import { Installation, KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { SCOPES } from '../authorization/guarded-routes';
import { RecordingClient, type ReceivedAnswer } from './recording-client';
import { plantedValues } from './planted-values';
import { type Group, STORING_COLUMNS, reportOf } from './findings';
import { failingGeocoder } from './geocoder';
import { importDonor } from './import-donor';
import { sendEverywhere } from './send-everywhere';
import { Listener } from './listener';
import { type SearchedText, RedisMonitor, columnsOf, filesBelow } from './searched-texts';

/**
 * Sends a key, a name and an address to every endpoint and searches logs, tables, Redis, metrics, traces and files for
 * them.
 */
export async function searchLeaks(): Promise<Report> {
  const geocoder = await failingGeocoder();
  const listener = await Listener.start();
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-leaks-'));
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
    return await searchRun(installation, listener, await geocoder.coordinates(), folder);
  } finally {
    await installation.stop();
    await Promise.all([geocoder.stop(), listener.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the requests and searches everything that was written. */
async function searchRun(
  installation: Installation,
  listener: Listener,
  coordinates: readonly string[],
  folder: string,
): Promise<Report> {
  const { home, postgres, redis, apiUrls } = installation;
  if (redis === undefined) throw new Error('the installation has no Redis');
  const watch = await RedisMonitor.start(redis.url);
  const [mine, other] = [await issueKey(installation, 'one client'), await issueKey(installation, 'another client')];
  const clients = await sendEverywhere({ installation, key: mine, webhookUrl: `${listener.url}/hook` });
  const importOutput = await importDonor(installation);
  const otherClient = new RecordingClient(apiUrls[0], { 'x-api-key': other });
  for (const path of ['/', '/batches', '/upload', '/enrich/v1/batches', '/ops', '/ops?format=json', '/ops/queues'])
    await otherClient.send(path, { headers: { accept: 'text/html' } });
  const metrics = await metricsOf([...apiUrls, ...installation.metricsUrls]);
  const columns = await columnsOf(postgres.url);
  watch.stop();
  const groups: readonly Group[] = [
    ['logs of the roles, level debug', filesBelow(join(home, 'logs'), /^(postgres|redis)/)],
    ['log of Postgres', filesBelow(join(home, 'logs'), /^(?!postgres)/)],
    ['log of Redis', filesBelow(join(home, 'logs'), /^(?!redis)/)],
    ['tables, other columns than those below', columns.filter(({ name }) => !STORING_COLUMNS.has(name))],
    ['everything sent to Redis', [{ name: 'commands', text: watch.text }]],
    ['files of Redis', filesBelow(join(home, 'redis'))],
    ['metrics of api, worker and aggregator', metrics],
    ['traces', [{ name: 'spans', text: listener.traces }]],
    ['messages to the webhook', [{ name: 'messages', text: listener.messages }]],
    ...answersOf(clients.flatMap(({ seen }) => seen)),
    [
      'pages of another key and of the console',
      otherClient.seen.map(({ asked, body }) => ({ name: asked, text: body })),
    ],
    ['output of the import', [{ name: 'import fec', text: importOutput }]],
    ['files in the home and the temporary folder', [...filesBelow(join(home, 'donorlens')), ...filesBelow(folder)]],
  ];
  return reportOf(groups, columns, plantedValues([mine, KEY], coordinates));
}

const issueKey = ({ postgres }: Installation, name: string): Promise<string> =>
  withKeys(postgres.url, async (keys) => {
    const { key } = await keys.issue({ name, scopes: SCOPES, requestsPerMinute: null, batchRowsPerDay: null });
    return key;
  });

const metricsOf = (urls: readonly string[]): Promise<readonly SearchedText[]> =>
  Promise.all(
    urls.map(async (url, at) => {
      const answer = await fetch(`${url}/metrics`, { headers: { 'x-api-key': KEY } });
      return { name: `metrics ${at}`, text: await answer.text() };
    }),
  );

/** Only refusals: a page of a form may show its own rows again. */
const answersOf = (seen: readonly ReceivedAnswer[]): readonly Group[] => [
  [
    'refusals',
    seen
      .filter(({ status }) => status >= 400)
      .map(({ asked, status, body }) => ({ name: `${asked} ${status}`, text: body })),
  ],
  ['Location headers', seen.map(({ asked, location }) => ({ name: asked, text: location }))],
];
