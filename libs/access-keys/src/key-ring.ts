import { timingSafeEqual } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type ApiKeyEntity } from './api-key.entity';
import { hashOf, prefixOf, statedPrefix } from './key-format';
import { BOOTSTRAP_PREFIX, KeyRepository } from './key.repository';

export interface KeyIdentity {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  /** null: no limit. */
  readonly requestsPerMinute: number | null;
  readonly batchRowsPerDay: number | null;
}

/** One secret that opens: a key has two of them for a while after a rotation. */
interface Lock {
  readonly identity: KeyIdentity;
  readonly hash: Buffer;
  /** Milliseconds; Infinity where it never ends. */
  readonly until: number;
}

const POLL_MS = 2_000;
const USED_EVERY_MS = 60_000;
const LOOK_UPS_PER_POLL = 50; // well-formed keys that nobody issued cannot become a flood of queries
const LONGEST = 512;
const NO_HASH = Buffer.alloc(32);

/**
 * All usable keys in memory, read again every two seconds: a request is let in without SQL, and a revoked key is out
 * within five seconds. While the database cannot be read the keys known last go on working.
 */
@Injectable()
export class KeyRing implements OnModuleInit, BeforeApplicationShutdown {
  private locks: ReadonlyMap<string, Lock> = new Map();
  /** The same by key, for sessions: the current secret's first. */
  private locksOfId: ReadonlyMap<string, readonly Lock[]> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private isSilent = false;
  private readonly used = new Map<string, number>();
  private readonly written = new Map<string, number>();
  /** By the hash of what was presented. */
  private readonly asked = new Map<string, Promise<Lock | null>>();

  constructor(
    private readonly keys: KeyRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.reload();
    this.pollLater();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.writeUses(Date.now(), 0).catch(() => undefined); // a missing last-used time harms nobody
  }

  /**
   * Who presents this key; null for a missing, unknown, expired or revoked one, all alike.
   * A key of our form that opens nothing is asked for once between two polls, so that a new one works at once: also where
   * there is such a prefix, or the time that passes would tell it.
   */
  authenticate(presented: string, now: number = Date.now()): KeyIdentity | null | Promise<KeyIdentity | null> {
    if (presented.length > LONGEST) return null;
    const prefix = statedPrefix(presented);
    const hash = hashOf(presented);
    // Always two comparisons, with or without such a key: time tells nothing.
    const own = opened(prefix === null ? undefined : this.locks.get(prefix), hash, now);
    const bootstrap = opened(this.locks.get(BOOTSTRAP_PREFIX), hash, now);
    const lock = own ?? bootstrap;
    if (lock !== null) return this.admitted(lock, now);
    if (prefix === null || prefixOf(presented) === null) return null;
    return this.askedOnce(prefix, hash).then((found) => {
      const late = opened(found ?? undefined, hash, now);
      return late === null ? null : this.admitted(late, now);
    });
  }

  /** A key that was let in before; null where it opens nothing any more. Counts as a use. */
  byId(id: string, now: number): KeyIdentity | null {
    const lock = this.usableLocks(id, now).at(0);
    return lock ? this.admitted(lock, now) : null;
  }

  /** Hashes of the secrets with which a key can be opened now, the current one first. */
  hashesOf(id: string, now: number): readonly Buffer[] {
    return this.usableLocks(id, now).map(({ hash }) => hash);
  }

  private usableLocks(id: string, now: number): readonly Lock[] {
    return (this.locksOfId.get(id) ?? []).filter(({ until }) => now < until);
  }

  /** Reads all keys; also what the poll does. */
  async reload(): Promise<void> {
    const rows = await this.keys.usable();
    this.hold(new Map(rows.flatMap(locksOf)));
    this.asked.clear();
  }

  private admitted({ identity }: Lock, now: number): KeyIdentity {
    this.used.set(identity.id, now);
    return identity;
  }

  private askedOnce(prefix: string, hash: Buffer): Promise<Lock | null> {
    const name = hash.toString('base64');
    const running = this.asked.get(name);
    if (running !== undefined) return running;
    if (this.asked.size >= LOOK_UPS_PER_POLL) return Promise.resolve(null);
    const asking = this.keys.usableBySecret(prefix, hash).then(
      (row) => (row === null ? null : this.added(locksOf(row)).get(prefix)) ?? null,
      () => null,
    );
    this.asked.set(name, asking);
    return asking;
  }

  /** A new key is there before the next poll, for sessions that name it. */
  private added(locks: ReturnType<typeof locksOf>): ReadonlyMap<string, Lock> {
    return this.hold(new Map([...this.locks, ...locks]));
  }

  private hold(locks: ReadonlyMap<string, Lock>): ReadonlyMap<string, Lock> {
    const ofId = new Map<string, Lock[]>();
    for (const lock of locks.values()) ofId.set(lock.identity.id, [...(ofId.get(lock.identity.id) ?? []), lock]);
    [this.locks, this.locksOfId] = [locks, ofId];
    return locks;
  }

  private pollLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.poll().finally(() => this.pollLater()), POLL_MS);
    this.timer.unref();
  }

  private async poll(): Promise<void> {
    try {
      await this.reload();
      await this.writeUses(Date.now(), USED_EVERY_MS);
      this.isSilent = false;
    } catch (err) {
      if (!this.isSilent) this.logger.warn({ err }, 'access keys cannot be read; those known last go on working');
      this.isSilent = true; // once until they can
    }
  }

  /** At most once a minute per key. */
  private async writeUses(now: number, everyMs: number): Promise<void> {
    const due = [...this.used.keys()].filter((id) => now - (this.written.get(id) ?? -Infinity) >= everyMs);
    if (due.length === 0) return;
    await this.keys.markUsed(due, new Date(now));
    for (const id of due) {
      this.written.set(id, now);
      this.used.delete(id);
    }
  }
}

function opened(lock: Lock | undefined, hash: Buffer, now: number): Lock | null {
  const same = timingSafeEqual(lock?.hash ?? NO_HASH, hash);
  return lock !== undefined && same && now < lock.until ? lock : null;
}

function locksOf(row: ApiKeyEntity): readonly (readonly [string, Lock])[] {
  const identity: KeyIdentity = Object.freeze({
    id: row.id,
    name: row.name,
    scopes: new Set(row.scopes),
    requestsPerMinute: row.requestsPerMinute,
    batchRowsPerDay: row.batchRowsPerDay,
  });
  const until = row.expiresAt?.getTime() ?? Infinity;
  const current = [row.prefix, { identity, hash: row.secretHash, until }] as const;
  if (row.previousPrefix === null || row.previousHash === null || row.previousUntil === null) return [current];
  const graceEnd = Math.min(until, row.previousUntil.getTime());
  return [current, [row.previousPrefix, { identity, hash: row.previousHash, until: graceEnd }]];
}
