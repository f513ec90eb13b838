import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from '../exit-code';

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * A text that is equal only for the same run of a process: pids are used again, also after a reboot.
 * Null where the process is not there or the system does not tell.
 */
export function identityOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in brackets and may hold blanks; after it, state is field 3 and the start time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    return `${pid}/${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return process.platform === 'linux' ? null : identityByPs(pid);
  }
}

function identityByPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}
