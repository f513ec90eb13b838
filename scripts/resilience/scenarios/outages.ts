import { amount, someOf } from '../../command/options';
import { type Installation, type SupervisedServer, type TcpProxy, until } from '../../../test/support/installation';
import { scenario } from '../scenario';
import { type Absence, Observations, type Outage, type OutageOptions, withoutPostgres, withoutRedis } from './outage';
import { hasData } from './outage-load';
import { diskFull, homeFull, postgresFull, redisEvicts, redisFull } from './outage-servers';

const DATA_MS = 600_000;
/** A statement may take 30 s on the server; its client waits a little longer. */
const MAX_MS_HALF_OPEN = 40_000;
const IN_POSTGRES = { setUp: () => ({ queue: 'postgres' as const }), detail: '; queue in Postgres' };
const NOTHING_ARRIVES = { detail: ': connections stay open, nothing arrives' };

interface Absent extends Pick<Outage, 'setUp'> {
  readonly seconds?: (options: OutageOptions) => number;
  /** Maximum duration of a request. A batch is accepted without waiting for Redis. */
  readonly maxMs?: number;
  /** Appended to the name of the outage. */
  readonly detail?: string;
}

type Fault = (installation: Installation) => Pick<Absence, 'interrupt' | 'restore'>;

/** A server that does not answer for a while. */
function absent(server: 'Redis' | 'Postgres', how: string, fault: Fault, more: Absent = {}): Outage {
  const { seconds = (options) => options['away-s'], maxMs = server === 'Redis' ? 3_000 : 7_000, detail = '' } = more;
  const without = server === 'Redis' ? withoutRedis : withoutPostgres;
  return {
    name: (options) => `${server} ${how} for ${seconds(options)} s${detail}`,
    promise:
      server === 'Redis'
        ? 'endpoints 1 to 9 answer 200, batches are accepted with 202, logs stay quiet, all batches finish'
        : 'endpoints 1 to 4 answer 200, the others 200 or 503, writes 503 with Retry-After as problem+json, /health/ready 503, nothing accepted is lost, healthy within 10 s of its return',
    setUp: more.setUp,
    observe: ({ installation }, observations, options) =>
      without(installation, observations, { ...fault(installation), seconds: seconds(options), maxMs }),
  };
}

const stopped = (server: SupervisedServer | undefined) => ({
  interrupt: () => server?.stop(),
  restore: () => server?.start(),
});
const halfOpen = (proxy: TcpProxy | undefined) => ({
  interrupt: () => proxy?.set({ kind: 'half-open' }),
  restore: () => proxy?.set({ kind: 'normal', dropExisting: true }),
});
const frozen = (server: SupervisedServer | undefined) => ({
  interrupt: () => server && process.kill(server.pid, 'SIGSTOP'),
  restore: () => server && process.kill(server.pid, 'SIGCONT'),
});

const OUTAGES: Readonly<Record<string, Outage>> = {
  'redis-away': absent('Redis', 'absent', ({ redis }) => stopped(redis), {
    seconds: (options) => options['redis-away-s'],
    maxMs: Infinity,
  }),
  'redis-full': redisFull,
  'redis-evicts': redisEvicts,
  'redis-frozen': absent('Redis', 'frozen (SIGSTOP)', ({ redis }) => frozen(redis)),
  'redis-half-open': absent('Redis', 'half-open', ({ proxies }) => halfOpen(proxies?.redis), NOTHING_ARRIVES),
  'postgres-stopped': absent('Postgres', 'stopped', ({ postgres }) => stopped(postgres)),
  'postgres-killed': absent(
    'Postgres',
    'killed (kill -9)',
    ({ postgres }) => ({ interrupt: () => postgres.kill({ stayDown: true }), restore: () => postgres.start() }),
    IN_POSTGRES,
  ),
  'postgres-half-open': absent('Postgres', 'half-open', ({ proxies }) => halfOpen(proxies?.postgres), {
    ...NOTHING_ARRIVES,
    seconds: (options) => Math.max(60, options['away-s']),
    maxMs: MAX_MS_HALF_OPEN,
  }),
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
