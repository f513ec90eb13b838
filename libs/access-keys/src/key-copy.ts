import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger } from '@donorlens/observability';
import { z } from 'zod';

export interface KeyIdentity {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  /** null: no limit. */
  readonly requestsPerMinute: number | null;
  readonly batchRowsPerDay: number | null;
}

/** One valid secret; a key has two of them during the grace period of a rotation. */
export interface Credential {
  readonly identity: KeyIdentity;
  readonly hash: Buffer;
  /** Milliseconds; Infinity if it does not expire. */
  readonly until: number;
}

const FILE = 'api-keys';
/** Changes with the format: a process reads only copies of its own. */
const VERSION = 'donorlens api keys 1';
/** For so long after they were read from the database, keys of a copy are valid. */
export const COPY_VALID_MS = 10 * 60_000;
const WRITE_EVERY_MS = 60_000;

const limit = z.number().int().positive().nullable();
const copySchema = z.object({
  version: z.literal(VERSION),
  database: z.string(),
  readAt: z.number(),
  keys: z.array(
    z.object({
      ...{ prefix: z.string(), hash: z.hex().length(64), until: z.number().nullable() },
      ...{ id: z.string(), name: z.string(), scopes: z.array(z.string()) },
      ...{ requestsPerMinute: limit, batchRowsPerDay: limit },
    }),
  ),
});

/** Secrets of keys by their prefixes, and when they were read, in milliseconds. */
export interface ReadKeys {
  readonly credentials: readonly (readonly [prefix: string, credential: Credential])[];
  readonly readAt: number;
}

/** What a copy belongs to. */
export interface CopyOwner {
  /** Host, port and name, without user and password. */
  readonly database: string;
  /** ADDRESS_SECRET, which all processes share; a copy without its signature is ignored. */
  readonly secret: string;
}

/** The text of a copy: hashes and no key, and a signature. */
export function encodeCopy({ credentials, readAt }: ReadKeys, { database, secret }: CopyOwner): string {
  const keys = credentials.map(([prefix, { identity, hash, until }]) => ({
    ...{ prefix, hash: hash.toString('hex'), until: until === Infinity ? null : until },
    ...{ ...identity, scopes: [...identity.scopes] },
  }));
  const text = JSON.stringify({ version: VERSION, database, readAt, keys } satisfies z.input<typeof copySchema>);
  return `${text}\n${signature(text, secret).toString('hex')}\n`;
}

/** @throws Error that says why the copy is not used */
export function decodeCopy(copy: string, { database, secret }: CopyOwner, now: number): ReadKeys {
  const [text, signed = ''] = copy.split('\n');
  const expected = signature(text, secret);
  const given = Buffer.from(signed, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Error('it is damaged, or of another ADDRESS_SECRET');
  const read = copySchema.safeParse(JSON.parse(text));
  if (!read.success) throw new Error('it is of another version');
  const { readAt, keys } = read.data;
  if (read.data.database !== database) throw new Error('it is of another database');
  if (readAt > now) throw new Error('it is newer than the clock');
  if (now - readAt >= COPY_VALID_MS) throw new Error('it is older than 10 minutes');
  if (keys.length === 0) throw new Error('it has no key');
  return { readAt, credentials: keys.map(credentialOf) };
}

function credentialOf({ prefix, hash, until, scopes, ...identity }: z.output<typeof copySchema>['keys'][number]) {
  const credential: Credential = {
    identity: Object.freeze({ ...identity, scopes: new Set(scopes) }),
    hash: Buffer.from(hash, 'hex'),
    until: until ?? Infinity,
  };
  return [prefix, credential] as const;
}

function signature(text: string, secret: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'donorlens key copy v1', 32));
  return createHmac('sha256', key).update(text).digest();
}

/** The usable API keys in a file, for a start while the database is away. Its faults are logged and never thrown. */
export class KeyCopy {
  private readonly path: string;
  private written = { keys: '', at: -Infinity };
  private isReported = false;

  constructor(
    private readonly home: string,
    private readonly owner: CopyOwner,
    private readonly logger: Logger,
  ) {
    this.path = join(home, FILE);
  }

  /** Writes the file if the keys have changed, and at least once a minute. */
  async write(read: ReadKeys): Promise<void> {
    const keys = encodeCopy({ ...read, readAt: 0 }, this.owner);
    if (keys === this.written.keys && performance.now() - this.written.at < WRITE_EVERY_MS) return;
    try {
      await this.replace(encodeCopy(read, this.owner));
      this.written = { keys, at: performance.now() };
      this.isReported = false;
    } catch (err) {
      await rm(this.path, { force: true }).catch(() => undefined); // it may have keys that are revoked by now
      if (!this.isReported) this.logger.warn({ err }, `API keys cannot be copied to ${this.path}`);
      this.isReported = true;
    }
  }

  /** Null if there is no copy that may be used. */
  async read(now: number): Promise<ReadKeys | null> {
    try {
      return decodeCopy(await readFile(this.path, 'utf8'), this.owner, now);
    } catch (err) {
      this.logger.warn(`copy of the API keys not used: ${(err as Error).message}`);
      return null;
    }
  }

  private async replace(text: string): Promise<void> {
    await mkdir(this.home, { recursive: true });
    const draft = `${this.path}.${process.pid}`;
    try {
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.path);
    } finally {
      await rm(draft, { force: true });
    }
  }
}
