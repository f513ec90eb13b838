import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { seeded } from '../../seeded';
import { Client } from '../chaos/client';
import { Installation, type QueueBackend, QUEUES } from '../installation';
import { amount, oneOf } from '../options';
import { part, type Report } from '../report';
import { lineThrough } from './line';
import { type Done, Load } from './load';
import { type Look, look } from './measured';

const MINUTE_MS = 60_000;
const LOOK_MS = 5_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A slope is flat below this share of the value in an hour, or where it may be chance (three standard errors). */
const FLAT_SHARE = 0.05;

/** Half an hour at half load: what is held stays the same. */
export const soak = part({
  what: 'half the load that can be taken, for long',
  options: { minutes: amount(30), queue: oneOf(QUEUES, 'redis') },
  async run({ minutes, queue }) {
    return reportOf(await run(minutes, queue));
  },
});

interface Found {
  readonly minutes: number;
  readonly full: Done;
  readonly half: Done;
  readonly notAnswered: number;
  readonly deaths: number;
  readonly looks: readonly { readonly at: number; readonly look: Look }[];
}

async function run(minutes: number, queue: QueueBackend): Promise<Found> {
  const installation = await Installation.start({
    processes: { api: 2, worker: 2, aggregator: 2 },
    queue,
    environment: { GEOCODE_PATIENCE_SECONDS: '0', LOG_LEVEL: 'warn' },
  });
  const pool = new Pool({ connectionString: installation.postgres.url, max: 1 });
  const redis = installation.redis ? new Redis(installation.redis.url) : null;
  try {
    const load = new Load(new Client(installation.apiUrls, seeded(1)), installation.apiUrls);
    const full = await load.full(MINUTE_MS);
    process.stderr.write(`capacity: ${full.rows} rows and ${full.requests} bulk requests in a minute\n`);
    const looks: { at: number; look: Look }[] = [];
    let isOver = false;
    const looking = (async () => {
      for (; !isOver; await pause(LOOK_MS)) looks.push({ at: Date.now(), look: await look(installation, pool, redis) });
    })();
    const half = await load.paced(minutes * MINUTE_MS, {
      batchEveryMs: (2 * MINUTE_MS) / (full.rows / 5_000),
      requestEveryMs: (2 * MINUTE_MS) / full.requests,
    });
    isOver = true;
    await looking;
    const deaths = installation.processes.reduce((sum, process) => sum + process.deaths, 0);
    return { minutes, full, half, notAnswered: load.notAnswered, deaths, looks };
  } finally {
    redis?.disconnect();
    await pool.end();
    await installation.stop();
  }
}

function reportOf({ minutes, full, half, notAnswered, deaths, looks }: Found): Report {
  const second = looks.slice(Math.floor(looks.length / 2));
  const lines = Object.keys(looks[0].look).map((name) => {
    const points = second.map(({ at, look }) => ({ hours: (at - second[0].at) / HOUR_MS, value: look[name] }));
    const line = lineThrough(points);
    const isFlat = line.perHour <= Math.max(FLAT_SHARE * line.mean, 3 * line.standardError);
    return {
      name,
      line,
      isFlat,
      least: Math.min(...points.map((p) => p.value)),
      most: Math.max(...points.map((p) => p.value)),
    };
  });
  const one = (value: number): string => value.toFixed(1);
  return {
    document: 'reliability',
    columns: ['held', 'mean', 'least to most', 'slope in an hour', 'standard error', 'flat'],
    rows: lines.map(({ name, line, isFlat, least, most }) => [
      name,
      one(line.mean),
      `${one(least)} to ${one(most)}`,
      one(line.perHour),
      one(line.standardError),
      isFlat ? 'yes' : 'no',
    ]),
    notes: [
      `Capacity, found in the first minute: ${full.rows.toLocaleString('en-US')} rows of batches and ${full.requests.toLocaleString('en-US')} bulk requests of 200 names; ` +
        `then, for ${minutes} minutes, ${half.rows.toLocaleString('en-US')} rows and ${half.requests.toLocaleString('en-US')} requests. ` +
        `${notAnswered} requests were not answered with 200, ${deaths} processes ended. The line is that of least squares through the second half.`,
    ],
    passed: lines.every(({ isFlat }) => isFlat) && notAnswered === 0 && deaths === 0,
  };
}
