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
import { dirname, join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { codeOf, dependencyError, messageOf, usageError } from '../exit-code';
import { identityOf } from './process-identity';

const OTHER_HOME = 'set DONORLENS_HOME to another folder';
const NO_PERMISSION = `give the folder to user id ${process.getuid?.() ?? ''} with chown, or ${OTHER_HOME}`;

/** What the operator can do, by the code of the error. */
const HOME_ADVICE: Readonly<Record<string, string>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: `mount the file system writable, or ${OTHER_HOME}`,
  ENOSPC: `free space on the disk, or ${OTHER_HOME}`,
};

/** The folder that holds everything `npm start` keeps. */
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
  /** Of the redis-server of this home, so that a later start can find one that was left behind. */
  get redisPid(): string {
    return join(this.root, 'redis.pid.json');
  }
  /** The key of the first start. */
  get key(): string {
    return join(this.root, 'key');
  }
  /** What addresses are hashed with, where ADDRESS_SECRET is not set. */
  get addressSecret(): string {
    return join(this.root, 'address-secret');
  }
  /** Where the running service is. */
  get run(): string {
    return join(this.root, 'run.json');
  }

  /** @throws CliError with exit code 3 where the folder cannot be used */
  create(): void {
    try {
      accessSync(nearestFolder(this.root), constants.W_OK); // mkdir reports a read-only file system as ENOENT
      mkdirSync(this.root, { recursive: true, mode: 0o711 }); // the database may run as another user, who must pass
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

/** The file's text, null where there is none. */
export function readPrivate(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Written whole or not at all, also where the power goes; readable by its owner only. */
export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
}

export const removeQuietly = (file: string): void => rmSync(file, { force: true });

/** What a running `npm start` tells the other commands. Readable by its owner only: the URLs may hold passwords. */
export interface RunInfo {
  readonly pid: number;
  readonly identity: string | null;
  readonly url: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
  readonly queue: 'redis' | 'postgres';
  readonly startedAt: string;
  /** CONFIRM_NEW_TIMELINE of the roles; runs of earlier versions have none. */
  readonly confirmsTimeline?: boolean;
  /** Process ids of the roles and of the embedded servers, updated when they restart. */
  readonly processes: Readonly<Record<string, number>>;
}

export const writeRunInfo = (home: Home, info: RunInfo): void => writePrivate(home.run, JSON.stringify(info, null, 2));

/** True where the last start could not tidy up. */
export const wasKilled = (home: Home): boolean => readPrivate(home.run) !== null;

/** The run on this home, null where none runs: a file left by a crash does not count. */
export function readRunInfo(home: Home): RunInfo | null {
  try {
    const info = JSON.parse(readPrivate(home.run) ?? 'null') as RunInfo | null;
    return info !== null && identityOf(info.pid) === info.identity ? info : null;
  } catch {
    return null;
  }
}

const SECRET_BYTES = 32;
const MIN_LENGTH = 16; // as ADDRESS_SECRET asks for

/**
 * The address secret that this home keeps; null where it has none.
 * @throws CliError with exit code 2 where the file is there and cannot be used: a new one in its place would be wrong
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

/** Makes a secret and keeps it in the home. */
export function createAddressSecret(home: Home): string {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  writePrivate(home.addressSecret, secret);
  return secret;
}
