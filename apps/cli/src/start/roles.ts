import { join, resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Config } from '@donorlens/config';
import { type ChosenQueue } from './servers';
import { type Run, type RunEnd } from './supervisor';

/**
 * The processes of one start, each with the most memory V8 may take: a leak ends in a restart, not in swapping. Clients
 * wait for the api, so its restarts are delayed least.
 */
export const ROLES = [
  // A large question's answers are short-lived objects: with V8's own 16 MB more of them are copied.
  { name: 'api', limits: ['--max-old-space-size=320', '--max-semi-space-size=32'], maxRestartMs: 3_000 },
  { name: 'worker', limits: ['--max-old-space-size=320'], maxRestartMs: 10_000 },
  { name: 'aggregator', limits: ['--max-old-space-size=1024'], maxRestartMs: 10_000 }, // compiles the full reference data
] as const;
export type Role = (typeof ROLES)[number];

/** Built entry of a role; this file is dist/apps/cli/src/start/roles.js then. */
export const roleScript = (name: Role['name']): string => join(__dirname, '..', '..', '..', name, 'src', 'main.js');

export const nodeOptions = ({ limits }: Role): string[] => ['--enable-source-maps', ...limits];

interface Chosen {
  readonly database: { readonly url: string };
  readonly queue: ChosenQueue;
  readonly home: string;
  readonly port: number;
  readonly addressSecret: string;
}

/** What the roles see: the operator's environment, with what this start has chosen in place of what was left open. */
export function roleEnvironment(env: NodeJS.ProcessEnv, config: Config, chosen: Chosen): NodeJS.ProcessEnv {
  const source = config.dataSource;
  return {
    ...env,
    PORT: String(chosen.port),
    HOST: config.host,
    DONORLENS_HOME: chosen.home,
    ADDRESS_SECRET: chosen.addressSecret,
    DATABASE_URL: chosen.database.url,
    // Our own Postgres has no standby: it begins a new timeline only by a point-in-time recovery.
    CONFIRM_NEW_TIMELINE: env.CONFIRM_NEW_TIMELINE ?? String(config.databaseUrl === undefined),
    QUEUE_BACKEND: chosen.queue.backend,
    METRICS_PORT: undefined, // one port for two roles; the api's /metrics has what is the service's
    REDIS_URL: chosen.queue.redisUrl ?? undefined, // spawn leaves out what is undefined
    ...(source ? { DATA_SOURCE: /^https?:/i.test(source) ? source : resolve(source) } : {}),
  };
}

/** Longest time a role may take to finish its work after SIGTERM: its own limit is 20 s. */
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
  /** Ends the wait of a process that was started with `--spare`. @returns false if the process has ended */
  begin(): boolean;
}

/**
 * Starts one role as a child of this process. It gets a process group of its own, so that Ctrl-C in the terminal
 * reaches the supervisor only, which then stops things in order; it ends with us by the IPC channel.
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
  // 'close' comes after the last line was read, so the reason of an end is known when the end is.
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
    child.send({ type: 'begin' }, () => undefined); // `ended` tells of a process that dies meanwhile
    return true;
  };
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve({ pid: child.pid, ended, stop, begin }));
  });
}
