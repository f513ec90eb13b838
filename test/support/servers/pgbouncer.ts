import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { type RunningServer, ServerProcess, freePort, untilReady, waysToRun } from '@donorlens/local-servers';

export interface PgbouncerOptions {
  /** An existing folder that other users can enter. */
  readonly home: string;
  /** URL of the Postgres behind PgBouncer. Clients can use all its databases, with the user of this URL. */
  readonly postgresUrl: string;
  /** Connections to Postgres for each database. */
  readonly poolSize: number;
  readonly port?: number;
}

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const STOP = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** Path and version of pgbouncer on this machine; null if it is not installed. */
export function findPgbouncer(): { readonly path: string; readonly version: string } | null {
  for (const folder of FOLDERS) {
    const path = join(folder, 'pgbouncer');
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const version = /PgBouncer (\S+)/.exec(stdout ?? '')?.[1];
    if (version !== undefined) return { path, version };
  }
  return null;
}

/** A PgBouncer on the loopback interface in transaction mode, without passwords. Refuses unknown startup parameters. */
export async function startPgbouncer(options: PgbouncerOptions): Promise<RunningServer> {
  const binary = findPgbouncer();
  if (binary === null) throw new Error('no pgbouncer on this machine (Debian: apt-get install pgbouncer)');
  const port = options.port ?? (await freePort());
  const [runAs] = waysToRun(null);
  const folder = join(options.home, 'pgbouncer');
  mkdirSync(folder, { recursive: true });
  const ini = join(folder, `${port}.ini`);
  writeFileSync(ini, configuration(options, port), { mode: 0o600 });
  for (const path of [folder, ini]) if (runAs.owner) chownSync(path, runAs.owner.uid, runAs.owner.gid);
  chmodSync(folder, 0o711);
  const server = ServerProcess.start({
    command: runAs.wrap({ file: binary.path, args: [ini] }),
    logFile: join(options.home, 'pgbouncer.log'),
    stopSignals: STOP,
  });
  const url = `postgres://anybody@127.0.0.1:${port}${new URL(options.postgresUrl).pathname}?pgbouncer=true`;
  if ((await untilReady(server, () => answers(url), 30_000)) !== 'ready') {
    await server.stop();
    throw new Error(`pgbouncer did not start: ${server.log().trim()}`);
  }
  return {
    ...{ url, port, pid: server.pid, version: binary.version },
    stop: () => server.stop(),
    onExit: (listener) => void server.exited.then(listener),
    restart: () => startPgbouncer({ ...options, port }),
  };
}

function configuration({ postgresUrl, poolSize }: PgbouncerOptions, port: number): string {
  const { hostname, port: serverPort, username, password } = new URL(postgresUrl);
  return [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = any', 'pool_mode = transaction', `default_pool_size = ${poolSize}`, 'max_client_conn = 500'],
    'query_wait_timeout = 15',
    '',
  ].join('\n');
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
