import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { LocalServerError } from './local-server-error';
import { freePort, isPortFree, type RunningServer, ServerProcess, untilReady } from './server-process';

export interface RedisBinary {
  readonly path: string;
  readonly version: string;
}

export interface RedisOptions {
  readonly dataDir: string;
  readonly logFile: string;
  readonly port?: number;
  /** Unset: a random one. */
  readonly password?: string;
  readonly binary?: RedisBinary;
  /** False for tests: nothing is written to disk. */
  readonly durable?: boolean;
  /** Further lines of its configuration. */
  readonly settings?: readonly string[];
}

const OLDEST = [6, 2] as const; // BullMQ needs 6.2
const STOP = [
  { signal: 'SIGTERM', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** The first redis-server (or valkey-server) on the PATH that is new enough. */
export function findRedisServer(path: string): RedisBinary | null {
  for (const name of ['redis-server', 'valkey-server'])
    for (const folder of path.split(delimiter).filter((part) => part !== '')) {
      const version = versionOf(join(folder, name));
      if (version !== null) return { path: join(folder, name), version };
    }
  return null;
}

function versionOf(file: string): string | null {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return null;
  }
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 5_000 });
  const match = /\bv=((\d+)\.(\d+)[.\d]*)/.exec(stdout ?? '');
  if (!match) return null;
  const [major, minor] = [Number(match[2]), Number(match[3])];
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]) ? match[1] : null;
}

/**
 * A redis-server of our own: loopback only, a password, noeviction, append-only file synced every second.
 * Its configuration goes through standard input, so no other user sees the password in the process list.
 * @throws LocalServerError
 */
export async function startRedis(options: RedisOptions & { readonly binary: RedisBinary }): Promise<RunningServer> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const port = options.port ?? (await freePort());
  if (!(await isPortFree(port)))
    throw new LocalServerError('port-in-use', `port ${port} is in use, redis-server cannot listen on it`);
  const password = options.password ?? randomBytes(24).toString('hex');
  const server = ServerProcess.start({
    command: { file: options.binary.path, args: ['-'] },
    stdin: `${configuration(dataDir, port, password, options.durable ?? true)}${(options.settings ?? []).map((line) => `${line}\n`).join('')}`,
    logFile: resolve(options.logFile),
    stopSignals: STOP,
  });
  const state = await untilReady(server, () => answersPing(port, password), 30_000);
  if (state !== 'ready') {
    await server.stop();
    throw new LocalServerError(
      'start-failed',
      `redis-server did not start: ${lastLine(server.log())} (log: ${options.logFile})`,
    );
  }
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    pid: server.pid,
    version: options.binary.version,
    stop: () => server.stop(),
    onExit: (listener) => void server.exited.then(listener),
    restart: () => startRedis({ ...options, port, password }),
  };
}

const configuration = (dataDir: string, port: number, password: string, durable: boolean): string =>
  [
    'bind 127.0.0.1',
    `port ${port}`,
    'protected-mode yes',
    `requirepass ${password}`,
    `dir "${dataDir.replace(/["\\]/g, '\\$&')}"`,
    'daemonize no',
    'maxmemory-policy noeviction',
    `appendonly ${durable ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    'loglevel notice',
    '',
  ].join('\n');

function answersPing(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    const end = (ok: boolean): void => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
      if (answer.split('\r\n').length > 2) end(answer === '+OK\r\n+PONG\r\n'); // -LOADING while it reads its file
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}

const lastLine = (log: string): string => log.trim().split('\n').at(-1)?.trim() ?? 'no message';
