import { setTimeout as pause } from 'node:timers/promises';
import { type Pool } from 'pg';
import { Agent } from 'undici';
import { amount, text } from '../../command/options';
import { until } from '../../../test/support/installation';
import { scenario, type Stage } from '../scenario';
import { HEADERS } from '../support/batch-client';
import { h2load, h2loadVersion, type LoadResult, WARM_S } from '../support/h2load';
import { quantile } from '../support/statistics';
import { ENDPOINTS, type Endpoint, LARGEST, READ_ROWS } from './load-endpoints';

/** Number of connections that keep one process busy. */
const SATURATING = 64;
const OVERLOADING = 1_024;
const OVERLOAD_FACTOR = 3;
const MIN_GOODPUT = 0.8;
const MAX_DELAY_MS = 30;
const DONE_MS = 600_000;
const PROMPT_MS = 50;
const PROBE_INTERVAL_MS = 10;

const options = { seconds: amount(60), only: text('TEXT', '') };

interface Interference {
  readonly bulk: string;
  readonly requests: number;
  /** Milliseconds of a lookup alone, and beside bulk requests. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

interface Result {
  readonly endpoints: readonly { readonly name: string; readonly peak: LoadResult; readonly overload: LoadResult }[];
  readonly interference: readonly Interference[];
  readonly deaths: number;
  readonly generator: string;
}

const total = (counts: LoadResult['others']): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const isRefusal = (status: string): boolean => status === '429' || status === '503';
const refusals = (counts: LoadResult['others'], isCounted: (status: string) => boolean): number =>
  total(Object.fromEntries(Object.entries(counts).filter(([status]) => isCounted(status))));

export const load = scenario<typeof options, Result>({
  promise:
    'Every endpoint keeps 80 % of its throughput at three times its capacity; lookups are answered beside bulk requests',
  options,
  setUp: () => ({ queue: 'redis', environment: { FEC_IMPORT_AT: '08:00', LOG_LEVEL: 'warn' } }),
  execute: async (stage, { seconds, only }) => {
    const { client, installation, pool } = stage;
    const [url] = installation.apiUrls;
    const version = h2loadVersion();
    if (version === null) throw new Error('no h2load on this machine (Debian: apt-get install nghttp2-client)');
    const selected = ENDPOINTS.filter(({ name }) => name.includes(only));
    if (selected.length === 0)
      throw new Error(`--only is part of one of: ${ENDPOINTS.map(({ name }) => name).join(', ')}`);
    await chartsAreServed(url);
    const { id } = await client.submit('read', READ_ROWS);
    await client.ended(id, DONE_MS);
    const endpoints: Result['endpoints'][number][] = [];
    for (const endpoint of selected) {
      endpoints.push(await measure(stage, { ...endpoint, path: endpoint.path.replace('{batch}', id) }, seconds));
      await until('all batches are done', () => areBatchesDone(pool), DONE_MS);
    }
    const interference: Interference[] = [];
    for (const large of LARGEST) interference.push(await interfere(url, large, Math.min(seconds, 20)));
    const deaths = installation.processes.reduce((sum, one) => sum + one.deaths, 0);
    return { endpoints, interference, deaths, generator: `h2load ${version}` };
  },
  rows: ([{ endpoints }]) => ({
    columns: [
      ...['endpoint', 'at capacity', 'p99', 'not 2xx', 'at three times that', 'of capacity', 'p99'],
      ...['refused (429, 503)', 'other answers, none'],
    ],
    rows: endpoints.map(({ name, peak, overload }) => [
      ...[name, `${Math.round(peak.goodput).toLocaleString('en-US')}/s`, `${Math.round(peak.p99Ms)} ms`],
      ...[total(peak.others) + peak.unanswered, `${Math.round(overload.goodput).toLocaleString('en-US')}/s`],
      ...[(overload.goodput / peak.goodput).toFixed(2), `${Math.round(overload.p99Ms)} ms`],
      refusals(overload.others, isRefusal),
      `${refusals(overload.others, (status) => !isRefusal(status))}, ${overload.unanswered}`,
    ]),
  }),
  checks: {
    'at capacity every request is answered with 2xx': ({ endpoints }) =>
      endpoints.every(({ peak }) => peak.goodput > 0 && total(peak.others) + peak.unanswered === 0),
    'overload is refused with 429 or 503': ({ endpoints }) =>
      endpoints.every(({ overload }) => overload.unanswered === 0 && Object.keys(overload.others).every(isRefusal)),
    'overload keeps 80 % of the throughput': ({ endpoints }) =>
      endpoints.every(({ peak, overload }) => overload.goodput >= MIN_GOODPUT * peak.goodput),
    [`bulk requests delay the p99 of lookups by at most ${MAX_DELAY_MS} ms`]: ({ interference }) =>
      interference.every(({ alone, beside }) => quantile(beside, 0.99) - quantile(alone, 0.99) <= MAX_DELAY_MS),
    'no process ends': ({ deaths }) => deaths === 0,
  },
  notes: ([{ interference, deaths, generator }]) => [
    `The generator (${generator}) shares the machine's cores with the service. Capacity: ${SATURATING} connections; ` +
      `three times: up to ${OVERLOADING} connections at a fixed rate. Processes of the service that ended: ${deaths}.`,
    ...interference.map(describe),
  ],
});

function describe({ bulk, requests, alone, beside }: Interference): string {
  const change = (share: number): string =>
    `${quantile(alone, share).toFixed(1)} to ${quantile(beside, share).toFixed(1)} ms`;
  return (
    `A lookup of one surname, 100 per second, beside bulk requests (${bulk}; ${requests} of them): ` +
    `p50 ${change(0.5)}, p99 ${change(0.99)} (at most ${MAX_DELAY_MS} ms more), slowest ${change(1)}.`
  );
}

/** The first start imports a sample; until it is imported, the api answers 503 for charts. */
async function chartsAreServed(url: string): Promise<void> {
  const areServed = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/data-charts/v1/cumulative_donors/candidate?cycle=2024`, { headers: HEADERS });
    return answer.ok && (await answer.text()).split('\n').length > 2;
  };
  await until('the sample charts are served', areServed, 120_000);
}

const areBatchesDone = async (pool: Pool): Promise<boolean> =>
  (await pool.query(`select from batch where state in ('accepted', 'running') limit 1`)).rowCount === 0;

async function measure(
  { installation, say }: Stage,
  endpoint: Endpoint,
  seconds: number,
): Promise<Result['endpoints'][number]> {
  const [url] = installation.apiUrls;
  const isPrompt = (): Promise<boolean> =>
    fetch(`${url}/health/live`, { signal: AbortSignal.timeout(PROMPT_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('abandoned requests are done', isPrompt, DONE_MS);
  const peak = await h2load(url, endpoint, { connections: SATURATING, seconds });
  const rate = Math.max(1, OVERLOAD_FACTOR * peak.goodput);
  const overload = await h2load(url, endpoint, { connections: OVERLOADING, rate, seconds });
  const rates = [peak, overload].map(({ goodput }) => `${Math.round(goodput)}/s`).join(', then ');
  say(`${endpoint.name}: ${rates} ${JSON.stringify([peak.others, overload.others])}`);
  return { name: endpoint.name, peak, overload };
}

/** Sends lookups at a fixed rate, first alone, then while another process sends bulk requests. */
async function interfere(url: string, large: Endpoint, seconds: number): Promise<Interference> {
  await probe(url, 2);
  const alone = await probe(url, seconds);
  const bulk = h2load(url, large, { connections: 1, seconds });
  bulk.catch(() => undefined); // the error is thrown where `bulk` is awaited
  await pause(1000 * WARM_S);
  const beside = await probe(url, seconds);
  const { goodput, others, unanswered } = await bulk;
  if (total(others) + unanswered > 0) throw new Error(`${large.name}: ${JSON.stringify({ others, unanswered })}`);
  return { bulk: large.name, alone, beside, requests: Math.round(goodput * seconds) };
}

/** @returns milliseconds since each request was due, so that a slow one does not hide the delay of the next ones */
async function probe(url: string, seconds: number): Promise<number[]> {
  const agent = new Agent({ connections: 64 });
  const times: number[] = [];
  const began = performance.now();
  const open: Promise<void>[] = [];
  const request = { origin: url, path: '/enrich/v1/ethnicity/surname/Garcia/year/2016', headers: HEADERS };
  for (let nth = 0; nth < (seconds * 1000) / PROBE_INTERVAL_MS; nth++) {
    const due = began + nth * PROBE_INTERVAL_MS;
    await pause(Math.max(0, due - performance.now()));
    const answered = agent.request({ ...request, method: 'GET' }).then(({ body }) => body.dump());
    open.push(answered.then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(open);
  await agent.close();
  return times;
}
