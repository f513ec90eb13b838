import { setTimeout as pause } from 'node:timers/promises';
import { resolve } from 'node:path';
import { Client } from 'pg';
import { LocalServerError } from './local-server-error';
import { freePort, isPortFree, type RunningServer, ServerProcess, untilReady } from './server-process';
import { type PostgresBinaries } from './postgres-binaries';
import { type Cluster, prepareCluster } from './postgres-cluster';

export interface PostgresOptions {
  readonly dataDir: string;
  readonly logFile: string;
  /** As findPostgresBinaries gives them; the first that fits the data directory is used. */
  readonly binaries: readonly PostgresBinaries[];
  readonly port?: number;
  /** durable: a crash of the machine loses nothing. test: faster, and a crash of the machine loses everything. */
  readonly tuning?: 'durable' | 'test';
}

export interface RunningPostgres extends RunningServer {
  readonly binaries: PostgresBinaries;
  /** How it runs if this process is root, shown at start. */
  readonly runs: Cluster['runAs']['how'];
  restart(): Promise<RunningPostgres>;
}

const DATABASE = 'donorlens';
const READY_TIMEOUT_MS = 300_000; // recovery after a crash reads the log of up to max_wal_size
const LEFTOVER_WAIT_MS = 5_000; // backends of a killed postmaster notice within this
const STOP = [
  { signal: 'SIGINT', waitMs: 20_000 }, // fast: rolls back, writes a checkpoint
  { signal: 'SIGQUIT', waitMs: 5_000 }, // immediate: recovers at the next start
] as const;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '256MB',
  max_connections: '200',
  max_wal_size: '2GB',
  jit: 'off',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};
const TUNING = {
  durable: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  test: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
};

/**
 * A Postgres of our own on a loopback port, its data directory made at the first start.
 * @throws LocalServerError
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const cluster = await prepareCluster(resolve(options.dataDir), options.binaries, options.tuning !== 'test');
  if (options.port !== undefined && !(await isPortFree(options.port))) throw portInUse(options.port);
  const end = performance.now() + LEFTOVER_WAIT_MS;
  for (;;) {
    const port = options.port ?? (await freePort());
    const server = await launch(cluster, port, options);
    if (server !== 'try again') return running(server, cluster, port, options);
    if (performance.now() > end)
      throw failed(options, 'the port was taken or an older process still holds the data directory');
    await pause(200);
  }
}

function running(server: ServerProcess, cluster: Cluster, port: number, options: PostgresOptions): RunningPostgres {
  return {
    url: urlOf(cluster, port, DATABASE),
    port,
    pid: server.pid,
    version: cluster.binaries.version,
    binaries: cluster.binaries,
    runs: cluster.runAs.how,
    stop: () => server.stop(),
    onExit: (listener) => void server.exited.then(listener),
    restart: () => startPostgres({ ...options, port }),
  };
}

async function launch(cluster: Cluster, port: number, options: PostgresOptions): Promise<ServerProcess | 'try again'> {
  const settings = { ...SETTINGS, port: String(port), ...TUNING[options.tuning ?? 'durable'] };
  const server = ServerProcess.start({
    command: cluster.runAs.wrap({
      file: `${cluster.binaries.folder}/postgres`,
      args: ['-D', cluster.dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      env: cluster.env,
    }),
    logFile: resolve(options.logFile),
    stopSignals: STOP,
  });
  try {
    const state = await untilReady(server, () => ensureDatabase(cluster, port), READY_TIMEOUT_MS);
    if (state === 'ready') return server;
    const log = server.log();
    if (/pre-existing shared memory block|could not bind|Address already in use/.test(log)) return 'try again';
    throw failed(options, fatalLine(log));
  } catch (err) {
    await server.stop();
    throw err;
  }
}

/** True once the server accepts connections and the database exists; creates it at the first start. */
async function ensureDatabase(cluster: Cluster, port: number): Promise<boolean> {
  const client = new Client({ connectionString: urlOf(cluster, port, 'postgres'), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the exit of a server that dies now is reported elsewhere
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
    return true;
  } catch (err) {
    const code = (err as { code?: string }).code;
    if (code === '28P01')
      throw new LocalServerError(
        'half-initialised',
        `${cluster.passwordFile} does not hold the password of ${cluster.dataDir}`,
      );
    return false; // not listening yet, starting up, or recovering
  } finally {
    await client.end().catch(() => undefined);
  }
}

const urlOf = (cluster: Cluster, port: number, database: string): string =>
  `postgres://${cluster.user}:${cluster.password}@127.0.0.1:${port}/${database}`;

const portInUse = (port: number): LocalServerError =>
  new LocalServerError('port-in-use', `port ${port} is in use, postgres cannot listen on it`);

const failed = ({ logFile }: PostgresOptions, why: string): LocalServerError =>
  new LocalServerError('start-failed', `postgres did not start: ${why} (log: ${logFile})`);

function fatalLine(log: string): string {
  const lines = log
    .trim()
    .split('\n')
    .filter((line) => !line.includes('is starting up')); // the answer to our own asking
  return (lines.find((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1) ?? 'no message').trim();
}
