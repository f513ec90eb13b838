import { amount, someOf } from '../../command/options';
import { type TcpProxy, until } from '../../../test/support/installation';
import { scenario } from '../scenario';
import { Observations, type Outage, withoutPostgres, withoutRedis } from './outage';
import { hasData } from './outage-load';
import { diskFull, homeFull, postgresFull, redisEvicts, redisFull } from './outage-servers';

const DATA_MS = 600_000;
/** A batch is accepted without waiting for the queue. */
const MAX_MS_WITHOUT_REDIS = 3_000;
const MAX_MS_WITHOUT_POSTGRES = 7_000;
/** A statement may take 30 s at the server; its client waits a little longer. */
const MAX_MS_HALF_OPEN = 40_000;

const REDIS_PROMISE = 'endpoints 1 to 9 answer 200, batches are accepted with 202, logs stay quiet, all batches finish';
const POSTGRES_PROMISE =
  'endpoints 1 to 4 answer 200, the others 200 or 503, writes 503 with Retry-After as problem+json, /health/ready 503, nothing accepted is lost, healthy within 10 s of its return';

const halfOpen = (proxy: TcpProxy | undefined) => ({
  away: () => proxy?.set({ kind: 'half-open' }),
  back: () => proxy?.set({ kind: 'normal', dropExisting: true }),
});

const OUTAGES: Readonly<Record<string, Outage>> = {
  'redis-away': {
    name: (options) => `Redis absent for ${options['redis-away-s']} s`,
    promise: REDIS_PROMISE,
    observe: ({ installation }, observations, options) =>
      withoutRedis(installation, observations, {
        seconds: options['redis-away-s'],
        away: () => installation.redis?.stop(),
        back: () => installation.redis?.start(),
        maxMs: Infinity,
      }),
  },
  'redis-full': redisFull,
  'redis-evicts': redisEvicts,
  'redis-frozen': {
    name: (options) => `Redis frozen (SIGSTOP) for ${options['away-s']} s`,
    promise: REDIS_PROMISE,
    observe: ({ installation }, observations, options) => {
      const pid = installation.redis?.pid ?? 0;
      const [away, back] = (['SIGSTOP', 'SIGCONT'] as const).map((signal) => () => process.kill(pid, signal));
      return withoutRedis(installation, observations, {
        seconds: options['away-s'],
        ...{ away, back, maxMs: MAX_MS_WITHOUT_REDIS },
      });
    },
  },
  'redis-half-open': {
    name: (options) => `Redis half-open for ${options['away-s']} s: connections stay open, nothing arrives`,
    promise: REDIS_PROMISE,
    observe: ({ installation }, observations, options) =>
      withoutRedis(installation, observations, {
        seconds: options['away-s'],
        ...halfOpen(installation.proxies?.redis),
        maxMs: MAX_MS_WITHOUT_REDIS,
      }),
  },
  'postgres-stopped': {
    name: (options) => `Postgres stopped for ${options['away-s']} s`,
    promise: POSTGRES_PROMISE,
    observe: ({ installation }, observations, options) =>
      withoutPostgres(installation, observations, {
        seconds: options['away-s'],
        away: () => installation.postgres.stop(),
        back: () => installation.postgres.start(),
        maxMs: MAX_MS_WITHOUT_POSTGRES,
      }),
  },
  'postgres-killed': {
    name: (options) => `Postgres killed (kill -9), back after ${options['away-s']} s; queue in Postgres`,
    promise: POSTGRES_PROMISE,
    setUp: () => ({ queue: 'postgres' }),
    observe: ({ installation }, observations, options) =>
      withoutPostgres(installation, observations, {
        seconds: options['away-s'],
        away: () => installation.postgres.kill({ stayDown: true }),
        back: () => installation.postgres.start(),
        maxMs: MAX_MS_WITHOUT_POSTGRES,
      }),
  },
  'postgres-half-open': {
    name: (options) =>
      `Postgres half-open for ${Math.max(60, options['away-s'])} s: connections stay open, nothing arrives`,
    promise: 'as above, and no request waits for more than 40 s',
    observe: ({ installation }, observations, options) =>
      withoutPostgres(installation, observations, {
        seconds: Math.max(60, options['away-s']),
        ...halfOpen(installation.proxies?.postgres),
        maxMs: MAX_MS_HALF_OPEN,
      }),
  },
  'postgres-full': postgresFull,
  'postgres-log-full': diskFull,
  'home-full': homeFull,
};

const options = { 'redis-away-s': amount(60), 'away-s': amount(15), only: someOf(Object.keys(OUTAGES)) };

interface Result {
  readonly observed: string;
  readonly isKept: boolean;
}

export const outages = scenario<typeof options, Result>({
  promise: 'An unavailable, full or wrongly configured server costs time, but no accepted row and no process',
  options,
  setUp: async ({ only }) => {
    const { environment, ...setUp } = (await OUTAGES[only].setUp?.()) ?? { queue: 'redis', proxied: true };
    return { ...setUp, environment: { GEOCODE_PATIENCE_SECONDS: '0', ...environment } };
  },
  execute: async (stage, run) => {
    const { apiUrls, processes } = stage.installation;
    for (const url of apiUrls) await until(`${url} has data`, () => hasData(url), DATA_MS);
    const deaths = (): number => processes.reduce((sum, one) => sum + one.deaths, 0);
    const before = deaths();
    const observations = new Observations();
    await OUTAGES[run.only].observe(stage, observations, run);
    observations.add(`${deaths() - before} processes ended`, deaths() === before);
    return { observed: observations.sentences.join('; '), isKept: observations.isKept };
  },
  columns: {
    outage: (found) => OUTAGES[found.only].name(found),
    promised: ({ only }) => OUTAGES[only].promise,
    observed: ({ observed }) => observed,
    kept: ({ isKept }) => (isKept ? 'yes' : '**no**'),
  },
  checks: { 'every promise is kept': ({ isKept }) => isKept },
  failed: ({ message }) => ({ observed: `**${message}**`, isKept: false }),
});
