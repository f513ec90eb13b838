import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True after stop(). */
  readonly wanted: boolean;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}

/** Input of a server, its stop signal, and its log file. */
interface Launch {
  readonly command: Command;
  readonly logFile: string;
  readonly stdin?: string;
  /** In the order tried; the next is sent when the one before has not ended the server in its time. */
  readonly stopSignals: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[];
}

const LOG_LIMIT = 10_000_000;

/**
 * A local server process. It has its own process group, so that Ctrl-C in the terminal reaches it through stop() only,
 * after its clients have finished. A guard process ends it if this process is killed.
 */
export class ServerProcess {
  readonly exited: Promise<ServerExit>;
  private wanted = false;
  private ended = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly launch: Launch,
    private readonly logStart: number,
  ) {
    endWithUs(child, launch.stopSignals[0].signal);
    this.exited = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.ended = true;
        resolve({ code, signal, wanted: this.wanted });
      };
      child.once('exit', end);
      child.once('error', () => end(null, null));
    });
  }

  static start(launch: Launch): ServerProcess {
    mkdirSync(dirname(launch.logFile), { recursive: true, mode: 0o700 });
    if (sizeOf(launch.logFile) > LOG_LIMIT) renameSync(launch.logFile, `${launch.logFile}.1`);
    const logStart = sizeOf(launch.logFile);
    const log = openSync(launch.logFile, 'a', 0o600);
    const { file, args, env, uid, gid } = launch.command;
    const child = spawn(file, args, {
      cwd: '/',
      detached: true,
      stdio: [launch.stdin === undefined ? 'ignore' : 'pipe', log, log],
      env,
      uid,
      gid,
    });
    closeSync(log);
    child.stdin?.on('error', () => undefined); // a server that died at once is reported by its exit
    child.stdin?.end(launch.stdin);
    return new ServerProcess(child, launch, logStart);
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get isAlive(): boolean {
    return !this.ended;
  }

  /** What this run has written so far. */
  log(): string {
    return readFileSync(this.launch.logFile).subarray(this.logStart).toString('utf8');
  }

  /** Resolves when the process has ended; kills it if necessary. */
  async stop(): Promise<void> {
    this.wanted = true;
    for (const { signal, waitMs } of this.launch.stopSignals) {
      if (this.ended) break;
      this.child.kill(signal);
      await Promise.race([this.exited, pause(waitMs, undefined, { ref: false })]);
    }
    if (!this.ended) this.child.kill('SIGKILL');
    await this.exited;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Polls until `check` is true ('ready'), the server ends ('exited') or the time is over. @throws what `check` throws */
export async function untilReady(
  server: ServerProcess,
  check: () => Promise<boolean>,
  timeoutMs: number,
): Promise<'ready' | 'exited' | 'timeout'> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    if (!server.isAlive) return 'exited';
    if (await check()) return 'ready';
    await Promise.race([server.exited, pause(15)]);
  }
  return 'timeout';
}

/** A server of our own that answers. */
export interface RunningServer {
  /** Holds the password: never to be printed. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  stop(): Promise<void>;
  onExit(listener: (exit: ServerExit) => void): void;
  /** The same server again, at the same URL, after it ended. */
  restart(): Promise<RunningServer>;
}

/**
 * Ends a child process when this process ends in any way, also by kill -9: a shell waits until its standard input
 * closes.
 * @param whom - the child, or the process group of a detached child, which includes its own children
 */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals, whom: 'child' | 'group' = 'child'): void {
  if (process.platform === 'win32' || child.pid === undefined) return;
  const script = 'read -r _; kill -s "$2" -- "$1"';
  const target = String(whom === 'group' ? -child.pid : child.pid);
  const guard = spawn('/bin/sh', ['-c', script, 'guard', target, signal.slice(3)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined); // no shell: the child may then outlive a killed parent
  guard.stdin.on('error', () => undefined);
  guard.unref();
  const { stdin } = guard;
  if ('unref' in stdin && typeof stdin.unref === 'function') (stdin.unref as () => void).call(stdin);
  child.once('exit', () => guard.kill('SIGKILL')); // before the pid can be reused
}

/**
 * Below the ephemeral port range: while a local server restarts, a client that reconnects could otherwise get the
 * server's own port and block it.
 */
const FIRST = 20_000;
const AFTER_LAST = 30_000;
const TRIES = 200;
/** The server of a port that was returned may not have opened it yet. */
const MAX_RECENT_PORTS = 1_000;
const recentPorts = new Set<number>();

/** A TCP port on 127.0.0.1 that is free and was not among the last ones that this process was given. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (recentPorts.has(port)) continue;
    recentPorts.add(port);
    if (recentPorts.size > MAX_RECENT_PORTS) recentPorts.delete([...recentPorts][0]);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${AFTER_LAST}`);
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
