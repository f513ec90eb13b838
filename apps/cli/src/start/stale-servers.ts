import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Home, readPrivate, removeQuietly, writePrivate } from '../home/home';
import { identityOf, isAlive } from '../home/process-identity';

/** How a server that was left behind is asked to end, from polite to not. */
const ASKED = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Ends the servers that an earlier start on this home left behind when it was killed: a second one on the same files
 * would not start. Only a process that is proven ours is touched: named by the pid file, and at work in our folder.
 * @returns the names of what was ended
 */
export async function endStaleServers(home: Home, said: (text: string) => void): Promise<void> {
  const stale = [stalePostgres(home), staleRedis(home)].filter((server) => server !== null);
  for (const { name, pid } of stale) {
    said(`ending ${name} (pid ${pid}), left behind by an earlier start`);
    await end(pid);
  }
  removeQuietly(home.redisPid);
}

interface Stale {
  readonly name: string;
  readonly pid: number;
}

/** postmaster.pid: first line the pid, second the data folder, as Postgres wrote them. */
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

export const rememberRedis = (home: Home, pid: number): void =>
  writePrivate(home.redisPid, JSON.stringify({ pid, identity: identityOf(pid) }));

/** Postgres changes into its data folder and names it with -D. */
function worksIn(pid: number, folder: string): boolean {
  try {
    if (samePath(readlinkSync(`/proc/${pid}/cwd`), folder)) return true;
  } catch {
    // Not Linux, or not ours to look at: then the command line decides.
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
  for (const { signal, waitMs } of ASKED) {
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
