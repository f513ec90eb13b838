import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Home, readPrivate, removeQuietly, writePrivate } from '../home/home';
import { identityOf, isAlive } from '../home/process-identity';

/** Signals sent to a stale server, in order, with the time that it has to exit. */
const STOP_SIGNALS = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Stops servers of an earlier start that was killed, because a second server on the same files would fail to start. A
 * process is stopped only if the pid file names it and it belongs to this home.
 */
export async function endStaleServers(home: Home, warn: (text: string) => void): Promise<void> {
  const stale = [stalePostgres(home), staleRedis(home)].filter((server) => server !== null);
  for (const { name, pid } of stale) {
    warn(`ending ${name} (pid ${pid}), left behind by an earlier start`);
    await end(pid);
  }
  removeQuietly(home.redisPid);
}

interface Stale {
  readonly name: string;
  readonly pid: number;
}

/** Reads postmaster.pid of Postgres: the first line is the pid, the second the data folder. */
export function stalePostgres(home: Home): Stale | null {
  const [pidLine, folder] = (readPrivate(join(home.postgres, 'postmaster.pid')) ?? '').split('\n');
  const pid = Number(pidLine);
  if (!(pid > 1) || !isAlive(pid) || !samePath(folder, home.postgres)) return null;
  return worksIn(pid, home.postgres) ? { name: 'Postgres', pid } : null;
}

export function staleRedis(home: Home): Stale | null {
  try {
    const { pid, identity } = JSON.parse(readPrivate(home.redisPid) ?? '') as { pid: number; identity: string };
    return isAlive(pid) && identity !== null && identityOf(pid) === identity ? { name: 'redis-server', pid } : null;
  } catch {
    return null;
  }
}

export const writeRedisPid = (home: Home, pid: number): void =>
  writePrivate(home.redisPid, JSON.stringify({ pid, identity: identityOf(pid) }));

/** Checks the working directory and the arguments: Postgres runs in its data folder and gets it with -D. */
function worksIn(pid: number, folder: string): boolean {
  try {
    if (samePath(readlinkSync(`/proc/${pid}/cwd`), folder)) return true;
  } catch {
    // Not Linux, or no permission to read the link: check the command line instead.
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .some((part) => samePath(part, folder));
  } catch {
    return process.platform !== 'linux' && identityOf(pid) !== null;
  }
}

function samePath(one: string | undefined, other: string): boolean {
  try {
    return one !== undefined && one !== '' && realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

async function end(pid: number): Promise<void> {
  for (const { signal, waitMs } of STOP_SIGNALS) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (let waited = 0; waited < waitMs; waited += 50) {
      if (identityOf(pid) === null) return;
      await sleep(50);
    }
  }
}
