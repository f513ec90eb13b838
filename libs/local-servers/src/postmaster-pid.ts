import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalServerError } from './local-server-error';

const WAIT_MS = 5_000; // a postmaster whose parent was killed is being ended by its guard

/**
 * Waits for the postmaster of an earlier start to end. Removes its pid file if the process id now belongs to another
 * program or to an orphaned zombie, which is usual in containers, where process ids repeat.
 * @throws LocalServerError if it does not end
 */
export async function waitForPreviousPostmaster(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const pid = pidIn(file);
    if (pid === null) return;
    const program = programOf(pid);
    if (program === null) return; // Postgres itself removes the file of a dead process
    if (!/postgres|postmaster/.test(program)) return rmSync(file, { force: true });
    if (performance.now() > end)
      throw new LocalServerError(
        'already-running',
        `a Postgres is running on ${dataDir} already (process ${pid}): stop it first`,
      );
    await pause(100);
  }
}

function pidIn(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** Name of the program with this process id; null if there is none, 'zombie' for a process that has ended. */
function programOf(pid: number): string | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return /^State:\s+Z/m.test(status) ? 'zombie' : (/^Name:\s+(.*)$/m.exec(status)?.[1] ?? '');
  } catch {
    if (process.platform === 'linux') return null;
    const { stdout, status } = spawnSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  }
}
