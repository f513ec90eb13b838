import { Pool } from 'pg';
import { seeded } from '../../seeded';
import { Client } from '../chaos/client';
import { chartsAreIn } from '../charts-are-in';
import { Installation, until } from '../installation';
import { amount, BadOption, text } from '../options';
import { part, type Report } from '../report';
import { type Endpoint, ENDPOINTS, LARGEST, READ_ROWS } from './endpoints';
import { h2loadVersion, type Load, sent } from './h2load';
import { type Interference, delayedByBulk } from './interference';

/** Enough to keep one process busy all the time. */
const SATURATING = 64;
const OVERLOADING = 1_024;
const TIMES_CAPACITY = 3;
const LEAST_GOODPUT = 0.8;
const MOST_DELAY_MS = 30;
const AT_ONCE_MS = 50;
const BUSY_MS = 120_000;

interface Found {
  readonly endpoint: string;
  readonly peak: Load;
  readonly overload: Load;
}

/** Every endpoint at its limit and at three times that, and a small question beside a large one. */
export const load = part({
  what: 'each endpoint saturated, then asked three times as often as it can answer',
  options: { seconds: amount(60), only: text('TEXT', '') },
  async run({ seconds, only }) {
    const endpoints = ENDPOINTS.filter(({ name }) => name.includes(only));
    if (endpoints.length === 0)
      throw new BadOption(`--only takes a part of ${ENDPOINTS.map(({ name }) => name).join(', ')}`);
    const generator = h2loadVersion();
    if (generator === null) throw new Error('no h2load on this machine (Debian: apt-get install nghttp2-client)');
    const installation = await Installation.start({
      queue: 'redis',
      environment: { FEC_IMPORT_AT: '08:00', LOG_LEVEL: 'warn' },
    });
    try {
      const [url] = installation.apiUrls;
      await chartsAreIn(url);
      const found: Found[] = [];
      const batch = await completedBatch(url);
      for (const endpoint of endpoints) {
        found.push(await measured(url, { ...endpoint, path: endpoint.path.replace('{batch}', batch) }, seconds));
        await batchesAreDone(installation);
      }
      const interference: Interference[] = [];
      for (const large of LARGEST) interference.push(await delayedByBulk(url, large, Math.min(seconds, 20)));
      const deaths = installation.processes.reduce((sum, one) => sum + one.deaths, 0);
      return reportOf(found, interference, deaths, [
        `PostgreSQL ${installation.postgres.version}`,
        `h2load ${generator}`,
      ]);
    } finally {
      await installation.stop();
    }
  },
});

/** @returns its id */
async function completedBatch(url: string): Promise<string> {
  const client = new Client([url], seeded(1));
  const { id } = await client.submit('read', READ_ROWS);
  await until('the batch to read is done', async () => (await client.batch(id)).state === 'completed', 600_000);
  return id;
}

/** What was accepted is worked off beside the answers, and takes a core. */
async function batchesAreDone({ postgres }: Installation): Promise<void> {
  const pool = new Pool({ connectionString: postgres.url, max: 1 });
  const areDone = async (): Promise<boolean> =>
    (await pool.query(`select from batch where state in ('accepted', 'running') limit 1`)).rowCount === 0;
  try {
    await until('all batches are done', areDone, 600_000);
  } finally {
    await pool.end();
  }
}

async function measured(url: string, endpoint: Endpoint, seconds: number): Promise<Found> {
  await until('what was asked before is done', () => answersAtOnce(url), BUSY_MS);
  const peak = await sent(url, endpoint, { connections: SATURATING, seconds });
  const rate = Math.max(1, TIMES_CAPACITY * peak.goodput);
  const overload = await sent(url, endpoint, { connections: OVERLOADING, rate, seconds });
  const words = `${Math.round(peak.goodput)}/s, then ${Math.round(overload.goodput)}/s`;
  process.stderr.write(`${endpoint.name}: ${words} ${JSON.stringify([peak.others, overload.others])}\n`);
  return { endpoint: endpoint.name, peak, overload };
}

/** Requests that nobody waits for any more are still worked for. */
const answersAtOnce = (url: string): Promise<boolean> =>
  fetch(`${url}/health/live`, { signal: AbortSignal.timeout(AT_ONCE_MS) }).then(
    (answer) => answer.ok,
    () => false,
  );

const total = (others: Load['others']): number => Object.values(others).reduce((sum, count) => sum + count, 0);
const isRefusal = (status: string): boolean => status === '429' || status === '503';

function reportOf(
  found: readonly Found[],
  interference: readonly Interference[],
  deaths: number,
  versions: readonly string[],
): Report {
  const holds = ({ peak, overload }: Found): boolean =>
    peak.goodput > 0 &&
    total(peak.others) + peak.unanswered + overload.unanswered === 0 &&
    Object.keys(overload.others).every(isRefusal) &&
    overload.goodput >= LEAST_GOODPUT * peak.goodput;
  return {
    document: 'performance',
    columns: [
      'endpoint',
      'answered at its limit',
      'p99',
      'not 2xx',
      'asked three times that: answered',
      'of the limit',
      'p99',
      'refused (429, 503)',
      'other answers, none',
    ],
    rows: found.map(({ endpoint, peak, overload }) => [
      endpoint,
      `${Math.round(peak.goodput).toLocaleString('en-US')}/s`,
      `${Math.round(peak.p99Ms)} ms`,
      total(peak.others) + peak.unanswered,
      `${Math.round(overload.goodput).toLocaleString('en-US')}/s`,
      (overload.goodput / peak.goodput).toFixed(2),
      `${Math.round(overload.p99Ms)} ms`,
      Object.entries(overload.others).reduce((sum, [status, count]) => sum + (isRefusal(status) ? count : 0), 0),
      `${total(Object.fromEntries(Object.entries(overload.others).filter(([status]) => !isRefusal(status))))}, ${overload.unanswered}`,
    ]),
    notes: [
      `The generator shares the machine's cores with the service. At the limit: ${SATURATING} connections; three times: up to ${OVERLOADING} connections at a fixed rate. Processes of the service that ended meanwhile: ${deaths}.`,
      ...interference.map(delayWords),
    ],
    versions,
    passed:
      deaths === 0 &&
      found.every(holds) &&
      interference.every(({ alone, beside }) => beside.p99 - alone.p99 <= MOST_DELAY_MS),
  };
}

function delayWords({ bulk, bulks, alone, beside }: Interference): string {
  const change = (of: 'p50' | 'p99' | 'most'): string => `${alone[of].toFixed(1)} to ${beside[of].toFixed(1)} ms`;
  return (
    `A question of one surname, 100 a second, while others come one after the other (${bulk}; ${bulks} of them): p50 ${change('p50')}, ` +
    `p99 ${change('p99')} (at most ${MOST_DELAY_MS} ms more), longest ${change('most')}.`
  );
}
