import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresBinaries, findRedisServer, freePort, startPostgres, startRedis } from '@donorlens/local-servers';
import { nodeOptions, ROLES, roleScript } from '../../../apps/cli/src/start/roles';
import { until } from './until';
import { KeptProcess, type ProcessEnd } from './kept-process';
import { KeptServer } from './kept-server';
import { TcpProxy } from './tcp-proxy';

export const ROOT = resolve(__dirname, '../../../..');
const CLI = join(ROOT, 'dist/apps/cli/src/main.js');
export const SAMPLE = join(ROOT, 'libs/reference-data/sample');
export const KEY = 'proof-key-for-loopback';

export type Role = (typeof ROLES)[number]['name'];
export const QUEUES = ['redis', 'postgres'] as const;
export type QueueBackend = (typeof QUEUES)[number];

export interface InstallationOptions {
  /** Processes of each role; one of each unless said. */
  readonly processes?: Readonly<Partial<Record<Role, number>>>;
  readonly queue: QueueBackend;
  /** Every role reaches Postgres, Redis and the geocoder by a proxy of ours. */
  readonly proxied?: boolean;
  /** Where a geocoder listens on the loopback; unset: nobody. */
  readonly geocoderUrl?: string;
  /** Servers of somebody else's in place of ours. */
  readonly redisUrl?: string;
  readonly databaseUrl?: (ours: string) => Promise<string>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Before the script of each role, such as `-r file`. */
  readonly nodeOptions?: readonly string[];
  /** Where our Postgres keeps its data; unset: in the home. */
  readonly postgresFolder?: string;
  /** durable, as in operation, unless said. */
  readonly tuning?: 'durable' | 'test';
}

export interface Proxies {
  readonly postgres: TcpProxy;
  readonly redis?: TcpProxy;
  readonly geocoder?: TcpProxy;
}

const NOBODY = 'http://127.0.0.1:9/geocoder';
const READY_MS = 600_000;

/**
 * A whole donorlens of built roles on the loopback, with a Postgres and a Redis of its own: several processes of each
 * role, each kept running, each with its log; all gone at the end.
 */
export class Installation {
  /** Of the servers of every installation that this process has started, such as `PostgreSQL 18.4`. */
  static readonly versions = new Set<string>();

  private constructor(
    readonly home: string,
    readonly postgres: KeptServer,
    readonly redis: KeptServer | undefined,
    readonly proxies: Proxies | undefined,
    /** api-1, api-2, worker-1, … */
    readonly processes: readonly KeptProcess[],
    readonly apiUrls: readonly string[],
    /** Of workers and aggregators. */
    readonly metricsUrls: readonly string[],
    /** What the roles were told. */
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Resolves when every api is ready: servers, schema, key and reference data are there. */
  static async start(options: InstallationOptions): Promise<Installation> {
    const home = mkdtempSync(join(tmpdir(), 'donorlens-proof-'));
    chmodSync(home, 0o711); // as root, Postgres runs as another user, who has to pass
    const postgres = await ownPostgres(home, options);
    const redis = options.queue === 'redis' && options.redisUrl === undefined ? await ownRedis(home) : undefined;
    Installation.versions.add(`PostgreSQL ${postgres.version}`);
    if (redis) Installation.versions.add(`Redis ${redis.version}`);
    const proxies = options.proxied ? await proxiesOf(postgres, redis, options.geocoderUrl) : undefined;
    const environment = await environmentOf(home, options, postgres, redis, proxies);
    await promisify(execFile)(process.execPath, [CLI, 'migrate'], {
      env: { PATH: process.env.PATH, ...environment, ...(proxies && { DATABASE_URL: postgres.url }) },
    });
    const { processes, apiUrls, metricsUrls } = await launch(home, options, environment);
    const installation = new Installation(home, postgres, redis, proxies, processes, apiUrls, metricsUrls, environment);
    await installation.ready().catch(async (error: unknown) => {
      await installation.stop({ keepHome: true });
      throw error;
    });
    return installation;
  }

  of(role: Role): readonly KeptProcess[] {
    return this.processes.filter((kept) => kept.name.startsWith(`${role}-`));
  }

  async ready(): Promise<void> {
    for (const url of this.apiUrls)
      await until(`${url} is ready (logs: ${this.home}/logs)`, () => answers(`${url}/health/ready`), READY_MS);
  }

  /** Ends everything; the ends of the roles are given back. */
  async stop({ keepHome = false } = {}): Promise<readonly ProcessEnd[]> {
    const ends = await Promise.all(this.processes.map((kept) => kept.stop()));
    await Promise.all(Object.values(this.proxies ?? {}).map((proxy: TcpProxy) => proxy.close()));
    await Promise.all([this.postgres.stop(), this.redis?.stop()]);
    if (!keepHome) rmSync(this.home, { recursive: true, force: true });
    return ends;
  }
}

async function ownPostgres(
  home: string,
  { tuning = 'durable', postgresFolder = join(home, 'postgres') }: InstallationOptions,
): Promise<KeptServer> {
  const binaries = findPostgresBinaries(process.env.PATH ?? '');
  const options = { dataDir: postgresFolder, logFile: join(home, 'logs/postgres.log'), binaries, tuning };
  return new KeptServer('postgres', await startPostgres(options));
}

async function ownRedis(home: string): Promise<KeptServer> {
  const binary = findRedisServer(process.env.PATH ?? '');
  if (binary === null)
    throw new Error('no redis-server on the PATH: install Debian’s redis-server, or ask for --queue postgres');
  return new KeptServer(
    'redis',
    await startRedis({ dataDir: join(home, 'redis'), logFile: join(home, 'logs/redis.log'), binary }),
  );
}

async function proxiesOf(postgres: KeptServer, redis: KeptServer | undefined, geocoderUrl?: string): Promise<Proxies> {
  return {
    postgres: await TcpProxy.to(postgres.port),
    ...(redis && { redis: await TcpProxy.to(redis.port) }),
    ...(geocoderUrl && { geocoder: await TcpProxy.to(Number(new URL(geocoderUrl).port)) }),
  };
}

async function environmentOf(
  home: string,
  options: InstallationOptions,
  postgres: KeptServer,
  redis: KeptServer | undefined,
  proxies: Proxies | undefined,
): Promise<Record<string, string>> {
  const by = (proxy: TcpProxy | undefined, url: string) => (proxy ? proxy.through(url) : url);
  const redisUrl = options.redisUrl ?? (redis && by(proxies?.redis, redis.url));
  return {
    DONORLENS_HOME: join(home, 'donorlens'),
    DATABASE_URL: options.databaseUrl ? await options.databaseUrl(postgres.url) : by(proxies?.postgres, postgres.url),
    ...(redisUrl && { REDIS_URL: redisUrl }),
    QUEUE_BACKEND: options.queue,
    ADDRESS_SECRET: 'made up for the proof',
    BOOTSTRAP_KEY: KEY,
    DATA_SOURCE: SAMPLE,
    FEC_IMPORT_AT: 'off',
    GEOCODER_URL: options.geocoderUrl ? by(proxies?.geocoder, options.geocoderUrl) : NOBODY,
    LOG_LEVEL: 'info',
    ...options.environment,
  };
}

async function launch(home: string, options: InstallationOptions, environment: Record<string, string>) {
  const processes: KeptProcess[] = [];
  const apiUrls: string[] = [];
  const metricsUrls: string[] = [];
  for (const role of ROLES.toReversed())
    for (let nth = 1; nth <= (options.processes?.[role.name] ?? 1); nth++) {
      const port = await freePort();
      (role.name === 'api' ? apiUrls : metricsUrls).push(`http://127.0.0.1:${port}`);
      processes.push(
        new KeptProcess({
          name: `${role.name}-${nth}`,
          args: [...nodeOptions(role), ...(options.nodeOptions ?? []), roleScript(role.name)],
          environment: { ...environment, PORT: String(port), METRICS_PORT: String(port) },
          logFolder: join(home, 'logs'),
        }),
      );
    }
  return { processes, apiUrls, metricsUrls };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );
