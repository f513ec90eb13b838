import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { amount, oneOf } from '../../command/options';
import { type Installation, QUEUES } from '../../../test/support/installation';
import { scenario, type Stage } from '../scenario';
import { HEADERS, nameOf } from '../support/batch-client';
import { type Trend, trendOf } from '../support/statistics';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SAMPLE_MS = 5_000;
/** A slope is flat if it is at most this share of the mean per hour, or at most three standard errors. */
const FLAT_SHARE = 0.05;
const BATCH_ROWS = 5_000;
const PARALLEL = 4;
const END_MS = 300_000;
const BULK = JSON.stringify({
  queries: Array.from({ length: 200 }, (_, at) => ({ name: nameOf(at % 3), date: `20${10 + (at % 10)}-03-01` })),
});

const options = { minutes: amount(30), queue: oneOf(QUEUES, 'redis') };

interface Work {
  readonly batches: number;
  readonly requests: number;
}

interface Result {
  readonly full: Work;
  readonly half: Work;
  readonly refused: number;
  readonly deaths: number;
  readonly trends: readonly (Trend & { readonly name: string; readonly min: number; readonly max: number })[];
}

const isFlat = ({ perHour, mean, standardError }: Trend): boolean =>
  perHour <= Math.max(FLAT_SHARE * mean, 3 * standardError);

export const soak = scenario<typeof options, Result>({
  promise: 'At half of its capacity the service holds a constant amount of memory, descriptors and connections',
  options,
  setUp: () => ({
    processes: { api: 2, worker: 2, aggregator: 2 },
    environment: { GEOCODE_PATIENCE_SECONDS: '0', LOG_LEVEL: 'warn' },
  }),
  execute: async (stage, { minutes }) => {
    const { installation, say } = stage;
    const load = new Load(stage);
    const full = await load.during(MINUTE_MS, { batchMs: 0, requestMs: 0 });
    say(`capacity: ${full.batches * BATCH_ROWS} rows and ${full.requests} bulk requests in a minute`);
    const redis = installation.redis ? new Redis(installation.redis.url) : null;
    const samples: { at: number; values: Readonly<Record<string, number>> }[] = [];
    let isOver = false;
    const sampling = (async () => {
      for (; !isOver; await pause(SAMPLE_MS)) samples.push({ at: Date.now(), values: await measure(stage, redis) });
    })();
    const pace = { batchMs: (2 * MINUTE_MS) / full.batches, requestMs: (2 * MINUTE_MS) / full.requests };
    const half = await load.during(minutes * MINUTE_MS, pace);
    isOver = true;
    await sampling;
    redis?.disconnect();
    const deaths = installation.processes.reduce((sum, process) => sum + process.deaths, 0);
    const second = samples.slice(Math.floor(samples.length / 2));
    const trends = Object.keys(samples[0].values).map((name) => {
      const points = second.map(({ at, values }) => ({ hours: (at - second[0].at) / HOUR_MS, value: values[name] }));
      const values = points.map(({ value }) => value);
      return { name, ...trendOf(points), min: Math.min(...values), max: Math.max(...values) };
    });
    return { full, half, refused: load.refused, deaths, trends };
  },
  rows: ([{ trends }]) => ({
    columns: ['held', 'mean', 'minimum to maximum', 'slope in an hour', 'standard error', 'flat'],
    rows: trends.map((trend) => [
      trend.name,
      trend.mean.toFixed(1),
      `${trend.min.toFixed(1)} to ${trend.max.toFixed(1)}`,
      trend.perHour.toFixed(1),
      trend.standardError.toFixed(1),
      isFlat(trend) ? 'yes' : 'no',
    ]),
  }),
  checks: {
    'everything held is flat': ({ trends }) => trends.every(isFlat),
    'every request is answered with 200': ({ refused }) => refused === 0,
    'no process ends': ({ deaths }) => deaths === 0,
  },
  notes: ([{ full, half, refused, deaths, minutes }]) => {
    const amountOf = ({ batches, requests }: Work): string =>
      `${(batches * BATCH_ROWS).toLocaleString('en-US')} rows and ${requests.toLocaleString('en-US')} bulk requests of 200 names`;
    return [
      `Capacity, measured in the first minute: ${amountOf(full)}; then, for ${minutes} minutes, ${amountOf(half)}. ` +
        `${refused} requests were not answered with 200, ${deaths} processes ended. The slope is that of the second half.`,
    ];
  },
});

interface Pace {
  readonly batchMs: number;
  readonly requestMs: number;
}

/** Sends batches and bulk requests, at full rate or at an interval. */
class Load {
  refused = 0;
  private sent = 0;

  constructor(private readonly stage: Stage) {}

  async during(ms: number, { batchMs, requestMs }: Pace): Promise<Work> {
    const end = performance.now() + ms;
    const [batches, requests] = await Promise.all([
      paced(end, batchMs * PARALLEL, () => this.batch()),
      paced(end, requestMs * PARALLEL, (nth) => this.request(nth)),
    ]);
    return { batches, requests };
  }

  /** Sends a batch, reads its results and deletes it: stored rows are not what this scenario measures. */
  private async batch(): Promise<void> {
    const { client } = this.stage;
    const { id } = await client.submit(`s${this.sent++}`, BATCH_ROWS);
    await client.ended(id, END_MS);
    await client.results(id);
    await client.answer(`/enrich/v1/batches/${id}`, { method: 'DELETE' });
  }

  private async request(nth: number): Promise<void> {
    const { apiUrls } = this.stage.installation;
    const headers = { ...HEADERS, 'content-type': 'application/json' };
    const url = `${apiUrls[nth % apiUrls.length]}/enrich/v1/age_gender`;
    const response = await fetch(url, { method: 'POST', headers, body: BULK });
    await response.text();
    if (response.status !== 200) this.refused++;
  }
}

/** Runs work at an interval in several loops; slow work delays the next run. @returns the number of runs */
async function paced(end: number, everyMs: number, work: (nth: number) => Promise<void>): Promise<number> {
  let count = 0;
  const loop = async (nth: number): Promise<void> => {
    for (let due = performance.now() + everyMs * Math.random(); performance.now() < end; due += everyMs) {
      const wait = Math.min(due, end) - performance.now();
      if (wait > 0) await pause(wait);
      if (performance.now() >= end) return;
      await work(nth);
      count++;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, (_, nth) => loop(nth)));
  return count;
}

/** Measures everything that could grow, by name. */
async function measure({ installation, pool }: Stage, redis: Redis | null): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ connections: number }>(
    `select count(*)::int as connections from pg_stat_activity where application_name like 'donorlens%'`,
  );
  return {
    ...measureProcesses(installation),
    'connections to Postgres': rows[0].connections,
    ...(redis && (await measureRedis(redis))),
  };
}

function measureProcesses({ processes }: Installation): Record<string, number> {
  const values: Record<string, number> = {};
  for (const { name, pid } of processes) {
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    values[`${name}: resident set, MB`] = kilobytes / 1024;
    values[`${name}: file descriptors`] = readdirSync(`/proc/${pid}/fd`).length;
  }
  return values;
}

/** Empties the slow log (at most 128 entries) first, because it fills on a busy machine. */
async function measureRedis(redis: Redis): Promise<Record<string, number>> {
  await redis.slowlog('RESET');
  const info = await redis.info();
  const number = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1]);
  return {
    'Redis: memory, MB': number('used_memory') / (1 << 20),
    'Redis: connections': number('connected_clients'),
    'Redis: keys': await redis.dbsize(),
  };
}
