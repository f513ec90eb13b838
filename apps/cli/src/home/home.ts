import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dependencyError } from '../exit-code';
import { messageOf } from '../fault-code';

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
      mkdirSync(this.root, { recursive: true, mode: 0o711 }); // the database may run as another user, who must pass
      mkdirSync(this.logs, { recursive: true, mode: 0o700 });
      if (!statSync(this.root).isDirectory()) throw new Error('it is not a folder');
      accessSync(this.root, constants.W_OK | constants.X_OK);
    } catch (error) {
      const reason = messageOf(error);
      throw dependencyError(`DONORLENS_HOME ${this.root} cannot be used: ${reason}`);
    }
  }
}

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
