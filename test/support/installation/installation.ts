import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findPostgresBinaries, findRedisServer, freePort, startPostgres, startRedis } from '@donorlens/local-servers';
import { nodeOptions, ROLES } from '../../../apps/cli/src/start/roles';
import { until } from '../until';
import { SupervisedProcess, type ProcessEnd } from './supervised-process';
import { SupervisedServer } from './supervised-server';
import { SteppedClock } from '../pipeline/stepped-clock';
import { TcpProxy } from '../servers/tcp-proxy';

const parent = resolve(__dirname, '../../..');
/** Root of this checkout; tests run from the sources, commands from dist. */
export const ROOT = basename(parent) === 'dist' ? resolve(parent, '..') : parent;
export const SAMPLE = join(ROOT, 'libs/reference-data/sample');
export const KEY = 'resilience-key-for-loopback';

export type Role = (typeof ROLES)[number]['name'];
export const QUEUES = ['redis', 'postgres'] as const;
export type QueueBackend = (typeof QUEUES)[number];

export interface InstallationOptions {
  /** Processes of each role; default: one. */
  readonly processes?: Readonly<Partial<Record<Role, number>>>;
  readonly queue: QueueBackend;
  /** True: roles reach Postgres, Redis and the geocoder through TCP proxies. */
  readonly proxied?: boolean;
  /** A geocoder on the loopback interface; default: requests are refused. */
  readonly geocoderUrl?: string;
  /** Replace the installation's own servers. */
  readonly redisUrl?: string;
  readonly databaseUrl?: (ours: string) => Promise<string>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Root of the built checkout whose roles are started; default: this one. */
  readonly checkout?: string;
  /** Node options of every role, such as `-r file`. */
  readonly nodeOptions?: readonly string[];
  /** Data folder of Postgres; default: in the installation's home. */
  readonly postgresFolder?: string;
  /** Default: durable, as in production. */
  readonly tuning?: 'durable' | 'test';
  /** True: clocks can be stepped; needs libfaketime. */
  readonly hasSteppedClocks?: boolean;
}

/** Clocks that can be stepped: one of Postgres, one of Redis, and one for each role. */
type Clocks = ReadonlyMap<string, SteppedClock>;

/** The checkout whose processes are started. */
interface Build {
  checkout: string;
}

export interface Proxies {
  readonly postgres: TcpProxy;
  readonly redis?: TcpProxy;
  readonly geocoder?: TcpProxy;
}

/** Built entry of a role or of the command line. */
export const builtApp = (name: Role | 'cli', checkout = ROOT): string =>
  join(checkout, `dist/apps/${name}/src/main.js`);

const CLOSED_PORT = 'http://127.0.0.1:9/geocoder';
const READY_MS = 600_000;

/**
 * A complete donorlens on the loopback interface: built roles with their own Postgres and Redis. Each process is
 * supervised and has its own log. stop() removes everything.
 */
export class Installation {
  /** Versions of servers, tools and data that this process used, for its report: `PostgreSQL 18.4`. */
  static readonly versions = new Set<string>();

  private constructor(
    readonly home: string,
    readonly postgres: SupervisedServer,
    readonly redis: SupervisedServer | undefined,
    readonly proxies: Proxies | undefined,
    /** Names: api-1, api-2, worker-1, … */
    readonly processes: readonly SupervisedProcess[],
    readonly apiUrls: readonly string[],
    /** Base URLs of workers and aggregators. */
    readonly metricsUrls: readonly string[],
    /** Environment of the roles. */
    readonly environment: Readonly<Record<string, string>>,
    /** Environment of commands, which use no proxy. */
    private readonly commands: Readonly<Record<string, string>>,
    /** Empty without `hasSteppedClocks`. */
    readonly clocks: Clocks,
    private readonly build: Build,
  ) {}

  /** Resolves when every api process is ready. */
  static async start(options: InstallationOptions): Promise<Installation> {
    const home = mkdtempSync(join(tmpdir(), 'donorlens-installation-'));
    chmodSync(home, 0o711); // as root, Postgres runs as another user, who needs access
    const hasRedis = options.queue === 'redis' && options.redisUrl === undefined;
    const clocked = ['postgres', ...(hasRedis ? ['redis'] : []), ...ROLES.map(({ name }) => name)];
    const clocks: Clocks = new Map(
      options.hasSteppedClocks ? clocked.map((name) => [name, new SteppedClock(home, name)]) : [],
    );
    const postgres = await ownPostgres(home, options, clocks);
    const redis = hasRedis ? await ownRedis(home, clocks) : undefined;
    Installation.versions.add(`PostgreSQL ${postgres.version}`);
    if (redis) Installation.versions.add(`Redis ${redis.version}`);
    const proxies = options.proxied ? await proxiesOf(postgres, redis, options.geocoderUrl) : undefined;
    const environment = await environmentOf(home, options, postgres, redis, proxies);
    const build = { checkout: resolve(options.checkout ?? ROOT) };
    const commands = { ...environment, ...(proxies && { DATABASE_URL: postgres.url }) };
    await runCommand(build, commands, 'migrate');
    const { processes, apiUrls, metricsUrls } = await launch(home, options, environment, { clocks, build });
    const installation = new Installation(
      ...([home, postgres, redis, proxies, processes, apiUrls, metricsUrls, environment] as const),
      ...([commands, clocks, build] as const),
    );
    await installation.ready().catch(async (error: unknown) => {
      await installation.stop({ keepHome: true });
      throw error;
    });
    return installation;
  }

  /** Base URL of a process: of its API, or of its metrics and health. */
  urlOf({ name }: SupervisedProcess): string {
    const others = this.processes.filter((one) => !one.name.startsWith('api-'));
    return name.startsWith('api-')
      ? this.apiUrls[this.of('api').findIndex((one) => one.name === name)]
      : this.metricsUrls[others.findIndex((one) => one.name === name)];
  }

  /** False until an upgrade, if another checkout was started. */
  get isThisBuild(): boolean {
    return this.build.checkout === ROOT;
  }

  of(role: Role): readonly SupervisedProcess[] {
    return this.processes.filter((kept) => kept.name.startsWith(`${role}-`));
  }

  async ready(): Promise<void> {
    for (const url of this.apiUrls)
      await until(`${url} is ready (logs: ${this.home}/logs)`, () => answers(`${url}/health/ready`), READY_MS);
  }

  /** Runs a command of the operator until it exits. @throws Error with code, stdout and stderr if it fails */
  command(...args: readonly string[]): ReturnType<typeof runCommand> {
    return runCommand(this.build, this.commands, ...args);
  }

  /** Stops a process and starts it again; resolves when it is ready. */
  async restart(process: SupervisedProcess): Promise<ProcessEnd> {
    const end = await process.stop();
    process.start();
    const isReady = (): Promise<boolean> => answers(`${this.urlOf(process)}/health/ready`);
    await until(`${process.name} is ready (log: ${process.logFile})`, isReady, READY_MS);
    return end;
  }

  /** Migrates, and replaces one process after the other while the others work, as in a rolling upgrade. */
  async upgrade(checkout = ROOT): Promise<void> {
    this.build.checkout = checkout;
    await this.postgres.restarted(); // the previous fault may have killed Postgres
    await this.command('migrate');
    for (const process of this.processes) await this.restart(process);
  }

  /**
   * Backs up the database while batches are in progress, and replaces the database with the backup.
   * @param accept - sends these batches after the workers were killed; the api must accept nothing after it
   */
  async restore(accept: () => Promise<void>): Promise<void> {
    const file = join(this.home, 'backup.sql.gz');
    rmSync(file, { force: true });
    await this.postgres.restarted();
    await Promise.all(this.of('worker').map((one) => one.stop('SIGKILL')));
    await accept();
    await this.command('backup', file);
    await Promise.all(this.processes.map((one) => one.stop()));
    await recreateDatabase(this.postgres.url);
    for (const args of [
      ['restore', file],
      ['keys', 'confirm'],
    ])
      await this.command(...args);
    for (const one of this.processes) one.start();
    await this.ready();
  }

  /** @returns how each role process ended */
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
  clocks: Clocks,
): Promise<SupervisedServer> {
  const installed = findPostgresBinaries(process.env.PATH ?? '');
  const binaries = installed.map((one, nth) => (nth === 0 ? (clocks.get('postgres')?.binaries(one) ?? one) : one));
  const options = { dataDir: postgresFolder, logFile: join(home, 'logs/postgres.log'), binaries, tuning };
  return new SupervisedServer('postgres', await startPostgres(options));
}

async function ownRedis(home: string, clocks: Clocks): Promise<SupervisedServer> {
  const found = findRedisServer(process.env.PATH ?? '');
  if (found === null)
    throw new Error('no redis-server on the PATH (Debian: apt-get install redis-server), or use --queue postgres');
  const binary = { ...found, path: clocks.get('redis')?.wrapper(found.path, 'redis-server') ?? found.path };
  return new SupervisedServer(
    'redis',
    await startRedis({ dataDir: join(home, 'redis'), logFile: join(home, 'logs/redis.log'), binary }),
  );
}

async function proxiesOf(
  postgres: SupervisedServer,
  redis: SupervisedServer | undefined,
  geocoderUrl?: string,
): Promise<Proxies> {
  return {
    postgres: await TcpProxy.to(postgres.port),
    ...(redis && { redis: await TcpProxy.to(redis.port) }),
    ...(geocoderUrl && { geocoder: await TcpProxy.to(Number(new URL(geocoderUrl).port)) }),
  };
}

async function environmentOf(
  home: string,
  options: InstallationOptions,
  postgres: SupervisedServer,
  redis: SupervisedServer | undefined,
  proxies: Proxies | undefined,
): Promise<Record<string, string>> {
  const by = (proxy: TcpProxy | undefined, url: string) => (proxy ? proxy.through(url) : url);
  const redisUrl = options.redisUrl ?? (redis && by(proxies?.redis, redis.url));
  return {
    DONORLENS_HOME: join(home, 'donorlens'),
    DATABASE_URL: options.databaseUrl ? await options.databaseUrl(postgres.url) : by(proxies?.postgres, postgres.url),
    ...(redisUrl && { REDIS_URL: redisUrl }),
    QUEUE_BACKEND: options.queue,
    ADDRESS_SECRET: 'secret of a resilience test',
    BOOTSTRAP_KEY: KEY,
    DATA_SOURCE: SAMPLE,
    FEC_IMPORT_AT: 'off',
    GEOCODER_URL: options.geocoderUrl ? by(proxies?.geocoder, options.geocoderUrl) : CLOSED_PORT,
    LOG_LEVEL: 'info',
    ...options.environment,
  };
}

async function recreateDatabase(url: string): Promise<void> {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  const client = new Client({ connectionString: server.href });
  await client.connect();
  for (const sql of [`drop database ${name} with (force)`, `create database ${name}`]) await client.query(sql);
  await client.end();
}

/** Runs a command of the operator until it exits. @throws Error if it fails */
const runCommand = ({ checkout }: Build, environment: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [builtApp('cli', checkout), ...args], {
    env: { PATH: process.env.PATH, ...environment },
  });

async function launch(
  home: string,
  options: InstallationOptions,
  environment: Record<string, string>,
  { clocks, build }: { readonly clocks: Clocks; readonly build: Build },
) {
  const processes: SupervisedProcess[] = [];
  const apiUrls: string[] = [];
  const metricsUrls: string[] = [];
  for (const role of ROLES.toReversed())
    for (let nth = 1; nth <= (options.processes?.[role.name] ?? 1); nth++) {
      const port = await freePort();
      (role.name === 'api' ? apiUrls : metricsUrls).push(`http://127.0.0.1:${port}`);
      processes.push(
        new SupervisedProcess({
          name: `${role.name}-${nth}`,
          args: () => [...nodeOptions(role), ...(options.nodeOptions ?? []), builtApp(role.name, build.checkout)],
          environment: {
            ...{ ...environment, PORT: String(port), METRICS_PORT: String(port) },
            ...clocks.get(role.name)?.environment,
          },
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
