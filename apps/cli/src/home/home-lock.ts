import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dependencyError, codeOf, messageOf } from '../exit-code';
import { type Home, removeQuietly } from './home';
import { identityOf, isAlive } from './process-identity';

/** Process that holds the lock. The identity detects a pid that now belongs to another process. */
interface Holder {
  readonly pid: number;
  readonly identity: string | null;
}

function holderOf(text: string): Holder | null {
  try {
    const { pid, identity } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' ? { pid, identity: identity ?? null } : null;
  } catch {
    return null;
  }
}

const stillRuns = ({ pid, identity }: Holder): boolean =>
  isAlive(pid) && (identity === null || identityOf(pid) === identity);

/**
 * Locks the home for this process. A lock left by a crash is detected and replaced.
 * @returns function that releases the lock
 * @throws CliError with exit code 3 if another donorlens runs on this home
 */
export function lockHome(home: Home): () => void {
  const own = JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) });
  for (let attempt = 0; attempt < 5; attempt++) {
    if (tryCreateFile(home.lock, own)) return () => removeQuietly(home.lock);
    const text = readQuietly(home.lock);
    if (text === null) continue; // another process has just released the lock
    const holder = holderOf(text);
    if (holder && stillRuns(holder))
      throw dependencyError(
        `another donorlens (pid ${holder.pid}) runs on ${home.root}: stop it, or set DONORLENS_HOME and PORT to run a second one`,
      );
    // Another process may have replaced the stale lock meanwhile: then its lock is put back.
    const aside = `${home.lock}.${process.pid}`;
    try {
      renameSync(home.lock, aside);
      if (readQuietly(aside) === text) rmSync(aside, { force: true });
      else renameSync(aside, home.lock);
    } catch {
      continue;
    }
  }
  throw dependencyError(`the lock ${home.lock} cannot be taken: remove it if no donorlens runs there`);
}

function tryCreateFile(file: string, text: string): boolean {
  try {
    const descriptor = openSync(file, 'wx', 0o644);
    writeSync(descriptor, text);
    closeSync(descriptor);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw dependencyError(`the lock ${file} cannot be written: ${messageOf(error)}`);
  }
}

function readQuietly(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
