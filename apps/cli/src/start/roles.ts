import { join, resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Config, isHttpUrl } from '@donorlens/config';
import { type ChosenQueue } from './servers';
import { type Run, type RunEnd } from './supervisor';

/**
 * The processes of one start with their V8 memory limits: a memory leak causes a restart instead of swapping. The api
 * has the shortest restart delay, because clients wait for it.
 */
export const ROLES = [
  // By default, V8 makes the young generation smaller in a container with little memory.
  { name: 'api', limits: ['--max-old-space-size=320', '--max-semi-space-size=16'], maxRestartMs: 3_000 },
  { name: 'worker', limits: ['--max-old-space-size=320'], maxRestartMs: 10_000 },
  { name: 'aggregator', limits: ['--max-old-space-size=1024'], maxRestartMs: 10_000 }, // compiles the reference data
] as const;
export type Role = (typeof ROLES)[number];

/** Compiled entry file of a role, relative to this compiled file, dist/apps/cli/src/start/roles.js. */
export const roleScript = (name: Role['name']): string => join(__dirname, '..', '..', '..', name, 'src', 'main.js');

export const nodeOptions = ({ limits }: Role): string[] => ['--enable-source-maps', ...limits];

interface Chosen {
  readonly database: { readonly url: string };
  readonly queue: ChosenQueue;
  readonly home: string;
  readonly port: number;
  readonly addressSecret: string;
}

/** Environment of the roles: the operator's variables, completed with the choices of this start. */
export function roleEnvironment(env: NodeJS.ProcessEnv, config: Config, chosen: Chosen): NodeJS.ProcessEnv {
  const source = config.dataSource;
  return {
    // glibc keeps freed memory for each of its arenas; by default, it creates eight for each processor.
    MALLOC_ARENA_MAX: '2',
    ...env,
    PORT: String(chosen.port),
    HOST: config.host,
    DONORLENS_HOME: chosen.home,
    ADDRESS_SECRET: chosen.addressSecret,
    DATABASE_URL: chosen.database.url,
    // The embedded Postgres has no standby, so only a point-in-time recovery starts a new timeline.
    CONFIRM_NEW_TIMELINE: env.CONFIRM_NEW_TIMELINE ?? String(config.databaseUrl === undefined),
    QUEUE_BACKEND: chosen.queue.backend,
    METRICS_PORT: undefined, // two roles cannot share a port; /metrics of the api has the metrics of the service
    REDIS_URL: chosen.queue.redisUrl ?? undefined, // spawn omits undefined variables
    ...(source ? { DATA_SOURCE: isHttpUrl(source) ? source : resolve(source) } : {}),
  };
}

/** Time that a role has to exit after SIGTERM. The role itself stops its work after 20 s. */
const GRACE_MS = 25_000;

export interface RoleProcess {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly nodeOptions: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  onLine(line: string): void;
  onReady(): void;
}

export interface RoleRun extends Run {
  /** Lets a process that was started with `--spare` begin its work. @returns false if the process has ended */
  begin(): boolean;
}

/**
 * Starts one role as a child process in its own process group. Ctrl-C in the terminal then reaches only the
 * supervisor, which stops the processes in order. The role exits when the IPC channel to this process closes.
 */
export function startRole(role: RoleProcess, graceMs = GRACE_MS): Promise<RoleRun> {
  const child = spawn(process.execPath, [...role.nodeOptions, role.script, ...(role.args ?? [])], {
    env: role.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    // The stream exists because stdio is a pipe.
    if (stream) createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => role.onLine(line));
  }
  child.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready')
      role.onReady();
  });
  // 'close' is emitted after the last output line, so the logged reason is known when `ended` resolves.
  const ended = new Promise<RunEnd>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (force: boolean): Promise<void> => {
    if (hasEnded()) return;
    child.kill(force ? 'SIGKILL' : 'SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  };
  const begin = (): boolean => {
    if (hasEnded()) return false;
    child.send({ type: 'begin' }, () => undefined); // `ended` reports a process that exits meanwhile
    return true;
  };
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve({ pid: child.pid, ended, stop, begin }));
  });
}
