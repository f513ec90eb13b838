import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { type ScheduleConfig } from '@donorlens/operations';
import { dirname, join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { codeOf, dependencyError, messageOf, usageError } from '../exit-code';
import { identityOf } from './process-identity';

const OTHER_HOME = 'set DONORLENS_HOME to another folder';
const NO_PERMISSION = `give the folder to user id ${process.getuid?.() ?? ''} with chown, or ${OTHER_HOME}`;

/** Advice for the operator by error code. */
const HOME_ADVICE: Readonly<Record<string, string>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: `mount the file system writable, or ${OTHER_HOME}`,
  ENOSPC: `free space on the disk, or ${OTHER_HOME}`,
};

/** The folder that holds all files of `npm start`. */
export class Home {
  readonly root: string;

  constructor(folder: string) {
    this.root = resolve(folder);
  }

  get lock(): string {
    return join(this.root, 'lock');
  }
  get logs(): string {
    return join(this.root, 'logs');
  }
  get postgres(): string {
    return join(this.root, 'postgres');
  }
  get redis(): string {
    return join(this.root, 'redis');
  }
  /** Process id of the redis-server of this home, so that a later start finds a server that was left behind. */
  get redisPid(): string {
    return join(this.root, 'redis.pid.json');
  }
  /** The API key that the first start issued. */
  get key(): string {
    return join(this.root, 'key');
  }
  /** The secret that hashes addresses if ADDRESS_SECRET is not set. */
  get addressSecret(): string {
    return join(this.root, 'address-secret');
  }
  /** URLs and process ids of the running service. */
  get run(): string {
    return join(this.root, 'run.json');
  }

  /** @throws CliError with exit code 3 if the folder cannot be used */
  create(): void {
    try {
      accessSync(nearestFolder(this.root), constants.W_OK); // mkdir reports a read-only file system as ENOENT
      mkdirSync(this.root, { recursive: true, mode: 0o711 }); // Postgres may run as another user, which must enter
      mkdirSync(this.logs, { recursive: true, mode: 0o700 });
      if (!statSync(this.root).isDirectory()) throw new Error('it is not a folder');
      accessSync(this.root, constants.W_OK | constants.X_OK);
    } catch (error) {
      const reason = `${messageOf(error)}; ${HOME_ADVICE[codeOf(error) ?? ''] ?? OTHER_HOME}`;
      throw dependencyError(`DONORLENS_HOME ${this.root} cannot be used: ${reason}`);
    }
  }
}

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)));

/** Reads a file; null if it cannot be read. */
export function readPrivate(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Writes a file that only its owner can read. It is written completely or not at all, even on a power failure. */
export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
}

export const removeQuietly = (file: string): void => rmSync(file, { force: true });

/** Information about a running `npm start` for other commands. The URLs may contain passwords. */
export interface RunInfo {
  readonly pid: number;
  readonly identity: string | null;
  readonly url: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
  readonly queue: 'redis' | 'postgres';
  readonly startedAt: string;
  /** CONFIRM_NEW_TIMELINE of the roles; undefined for a run of an earlier version. */
  readonly confirmsTimeline?: boolean;
  /** Settings of the scheduled imports; undefined for a run of an earlier version. */
  readonly schedule?: Partial<ScheduleConfig>;
  /** Process ids of the roles and of the embedded servers, updated when they restart. */
  readonly processes: Readonly<Record<string, number>>;
}

export const writeRunInfo = (home: Home, info: RunInfo): void => writePrivate(home.run, JSON.stringify(info, null, 2));

/** True if the last start ended without removing its run file. */
export const wasKilled = (home: Home): boolean => readPrivate(home.run) !== null;

/** The running service of this home; null if none runs. A file left behind by a crash is ignored. */
export function readRunInfo(home: Home): RunInfo | null {
  try {
    const info = JSON.parse(readPrivate(home.run) ?? 'null') as RunInfo | null;
    return info !== null && identityOf(info.pid) === info.identity ? info : null;
  } catch {
    return null;
  }
}

const SECRET_BYTES = 32;
const MIN_LENGTH = 16; // the same minimum as for ADDRESS_SECRET

/**
 * The address secret that this home stores; null if it has none.
 * @throws CliError with exit code 2 if the file is unreadable or too short: a new secret would not match stored hashes
 */
export function storedAddressSecret(home: Home): string | null {
  const text = readPrivate(home.addressSecret);
  if (text === null && !existsSync(home.addressSecret)) return null;
  if (text === null || text.length < MIN_LENGTH)
    throw usageError(
      `the address secret in ${home.addressSecret} cannot be used: put back the text that was in it, or set ADDRESS_SECRET to it`,
    );
  return text;
}

/** Creates an address secret and stores it in the home. */
export function createAddressSecret(home: Home): string {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  writePrivate(home.addressSecret, secret);
  return secret;
}
