import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { LocalServerError } from './local-server-error';
import { type PostgresBinaries, majorOfData, postgresFor } from './postgres-binaries';
import { waitForPreviousPostmaster } from './postmaster-pid';
import { type RunAs, canRun, waysToRun } from './run-as';

/** A data directory that is ready to be started. */
export interface Cluster {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  readonly user: string;
  readonly password: string;
  readonly passwordFile: string;
  readonly env: NodeJS.ProcessEnv;
}

const USER = 'donorlens';
/** Nothing of our own environment: PGDATA, PGPORT and their like would change what is started. */
const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export const passwordFileOf = (dataDir: string): string => `${dataDir}.password`;
/** A whole data directory that takes the place of the other one. */
const replacementOf = (dataDir: string): string => `${dataDir}.upgraded`;

/**
 * Replaces a data directory with another one. The old one keeps its password and gets a dated name. After an
 * interruption between the two steps, the next start completes it.
 * @returns path of the old one
 */
export function replaceDataDirectory(dataDir: string, fresh: string): string {
  rmSync(replacementOf(dataDir), { recursive: true, force: true }); // older than the data that it was to replace
  const time = new Date().toISOString().replace(/[-:]|\..*/g, '');
  const kept = `${dataDir}-${majorOfData(dataDir)}-${time}`;
  copyFileSync(passwordFileOf(dataDir), passwordFileOf(kept));
  renameSync(fresh, replacementOf(dataDir));
  renameSync(dataDir, kept);
  finishReplacement(dataDir);
  return kept;
}

export function finishReplacement(dataDir: string): void {
  if (!existsSync(dataDir) && existsSync(replacementOf(dataDir))) renameSync(replacementOf(dataDir), dataDir);
}

/**
 * Finds or makes the data directory. It is made beside its place and then renamed, so that a start that was
 * interrupted leaves nothing that looks finished.
 * @throws LocalServerError when it exists but cannot be used
 */
export async function prepareCluster(
  dataDir: string,
  binaries: readonly PostgresBinaries[],
  durable: boolean,
): Promise<Cluster> {
  const passwordFile = passwordFileOf(dataDir);
  finishReplacement(dataDir);
  const best = postgresFor(dataDir, binaries);
  try {
    mkdirSync(dirname(dataDir), { recursive: true, mode: 0o711 }); // another user may pass, not look
    return isMade(dataDir)
      ? await existing(dataDir, best, passwordFile)
      : firstMade(dataDir, binaries, passwordFile, durable);
  } catch (err) {
    if (err instanceof LocalServerError) throw err;
    throw new LocalServerError('start-failed', `${dataDir} cannot be prepared: ${(err as Error).message}`);
  }
}

function isMade(dataDir: string): boolean {
  const entries = entriesOf(dataDir);
  if (entries === null) return false;
  if (entries.length === 0) {
    rmdirSync(dataDir);
    return false;
  }
  if (entries.includes('PG_VERSION') && entriesOf(join(dataDir, 'global'))?.includes('pg_control')) return true;
  throw new LocalServerError('half-initialised', `${dataDir} is half initialised: delete it and start again`);
}

function entriesOf(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder);
  } catch (err) {
    const code = (err as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    if (code === 'EACCES') throw otherOwner(folder);
    throw new LocalServerError('half-initialised', `${folder} cannot be read (${code})`);
  }
}

async function existing(dataDir: string, binaries: PostgresBinaries, passwordFile: string): Promise<Cluster> {
  const owner = statSync(dataDir);
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && owner.uid !== self) throw otherOwner(dataDir);
  await waitForPreviousPostmaster(dataDir);
  const password = readPassword(passwordFile);
  if (password === null)
    throw new LocalServerError(
      'half-initialised',
      `${passwordFile} is missing: put it back, or delete ${dataDir} and start again`,
    );
  const runAs = firstThatWorks(waysToRun({ uid: owner.uid, gid: owner.gid }), binaries, dataDir);
  return { dataDir, binaries, runAs, user: USER, password, passwordFile, env: ENV };
}

/** Tries the next binaries if the preferred ones cannot be executed; the first error is reported. */
function firstMade(
  dataDir: string,
  candidates: readonly PostgresBinaries[],
  passwordFile: string,
  durable: boolean,
): Cluster {
  removeLeftovers(dataDir);
  const password = readPassword(passwordFile) ?? randomBytes(24).toString('hex');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  let reason: unknown;
  for (const binaries of candidates)
    try {
      const runAs = createCluster(dataDir, binaries, password, durable);
      return { dataDir, binaries, runAs, user: USER, password, passwordFile, env: ENV };
    } catch (err) {
      if (!(err instanceof LocalServerError) || err.code === 'already-running') throw err;
      reason ??= err;
    }
  throw reason;
}

function createCluster(dataDir: string, binaries: PostgresBinaries, password: string, durable: boolean): RunAs {
  const staging = `${dataDir}.new-${process.pid}`;
  const secret = `${staging}.secret`;
  try {
    mkdirSync(staging, { mode: 0o700 });
    writeFileSync(secret, password, { mode: 0o600 });
    const runAs = firstThatWorks(waysToRun(null), binaries, staging, [staging, secret]);
    initdb(runAs, binaries, staging, secret, durable);
    renameSync(staging, dataDir);
    return runAs;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOTEMPTY')
      throw new LocalServerError('already-running', `another process has just made ${dataDir}: start once`);
    throw err;
  } finally {
    rmSync(staging, { recursive: true, force: true });
    rmSync(secret, { force: true });
  }
}

/** Removes leftovers of starts that were killed while they created the directory. */
function removeLeftovers(dataDir: string): void {
  const prefix = `${basename(dataDir)}.new-`;
  for (const entry of readdirSync(dirname(dataDir)).filter((name) => name.startsWith(prefix)))
    if (!isAlive(Number.parseInt(entry.slice(prefix.length), 10)))
      rmSync(join(dirname(dataDir), entry), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readPassword(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

function firstThatWorks(
  ways: readonly RunAs[],
  { folder }: PostgresBinaries,
  target: string,
  toOwn: readonly string[] = [],
): RunAs {
  const program = { file: join(folder, 'initdb'), args: ['--show', '-D', target], env: ENV };
  for (const way of ways) if (owns(way, toOwn) && canRun(way, program, target)) return way;
  if (ways.length === 1 && ways[0].owner === null && !hasAccount())
    throw new LocalServerError(
      'start-failed',
      `Postgres refuses user id ${process.getuid?.()}, which has no entry in /etc/passwd: add one, or start as a user that has one, or set DATABASE_URL`,
    );
  throw ways.length === 1 && ways[0].owner === null
    ? new LocalServerError('start-failed', `${join(folder, 'initdb')} cannot run or cannot write into ${target}`)
    : new LocalServerError(
        'cannot-run-as-root',
        `Postgres refuses to run as root, and no unprivileged account can access both ${folder} and ${dirname(target)}: start as another user, or move both out of the folder that only root may enter, or set DATABASE_URL`,
      );
}

/** True if the system knows the user of this process. */
function hasAccount(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/**
 * Changes the owner of the files to the user of the server; false without permission (a container without cap_chown).
 */
function owns({ owner }: RunAs, files: readonly string[]): boolean {
  try {
    if (owner !== null) for (const file of files) chownSync(file, owner.uid, owner.gid);
    return true;
  } catch {
    return false;
  }
}

function initdb(runAs: RunAs, binaries: PostgresBinaries, target: string, secret: string, durable: boolean): void {
  // Byte order for sorting, Unicode for upper and lower case, the same on every machine.
  const locale = binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  const { file, args, env, uid, gid } = runAs.wrap({
    file: join(binaries.folder, 'initdb'),
    args: [
      ...['-D', target, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8', '--locale=C', ...locale],
      ...(durable ? [] : ['--no-sync']),
    ],
    env: ENV,
  });
  const { status, stderr, error } = spawnSync(file, args, { cwd: '/', env, uid, gid, encoding: 'utf8' });
  if (status !== 0)
    throw new LocalServerError(
      'start-failed',
      `initdb failed: ${(error?.message ?? stderr).trim().split('\n').join(' ')}`,
    );
}

const otherOwner = (folder: string): LocalServerError =>
  new LocalServerError(
    'other-owner',
    `${folder} belongs to another user: start as that user or as root, or set DONORLENS_HOME`,
  );
