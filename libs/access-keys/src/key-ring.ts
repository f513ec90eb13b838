import { timingSafeEqual } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import {
  INSTALLATION_MESSAGES,
  type InstallationState,
  isTransientDatabaseError,
  StartChecks,
} from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { TimeoutError, withTimeout } from '@donorlens/primitives';
import { type ApiKeyEntity } from './api-key.entity';
import { COPY_VALID_MS, type Credential, KeyCopy, type KeyIdentity } from './key-copy';
import { hashOf, prefixOf, statedPrefix } from './key-format';
import { BOOTSTRAP_PREFIX, KeyRepository } from './key.repository';

const POLL_MS = 2_000;
/** While the keys are not those of the database. */
const FIRST_POLL_MS = 250;
const USED_EVERY_MS = 60_000;
const MAX_LOOKUPS_PER_POLL = 50; // limits the queries that well-formed but unknown keys cause
const MAX_LENGTH = 512;
const NO_HASH = Buffer.alloc(32);

/**
 * All usable keys in memory, reloaded every two seconds: a request is authenticated without SQL, and a revoked key is
 * refused within five seconds. While the database cannot be read, the keys read last stay valid. A process that starts
 * then uses the copy of the keys in its home, for up to ten minutes after they were read.
 */
@Injectable()
export class KeyRing implements OnModuleInit, BeforeApplicationShutdown {
  private credentials: ReadonlyMap<string, Credential> = new Map();
  /** The same by key id, for sessions; the current secret is first. */
  private credentialsById: ReadonlyMap<string, readonly Credential[]> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private isReported = false;
  private state: InstallationState = 'confirmed';
  /** Until when the keys may be used, on the clock of `performance`; Infinity if they were read from the database. */
  private usableUntil = -Infinity;
  /** Ids of keys whose use is not stored yet. */
  private readonly used = new Set<string>();
  private readonly written = new Map<string, number>();
  /** Lookups since the last poll, by the hash of the presented key. */
  private readonly recentLookups = new Map<string, Promise<Credential | null>>();
  /** Error of a lookup since the last poll that read the keys: no other key is looked up until then. */
  private lookupError: Error | null = null;

  constructor(
    private readonly keys: KeyRepository,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(KeyCopy) private readonly copy: Pick<KeyCopy, 'read' | 'write'>,
    @Inject(CONFIG) private readonly config: Pick<Config, 'confirmNewTimeline'>,
    @Inject(StartChecks) private readonly startChecks: Pick<StartChecks, 'answerWaitMs'>,
  ) {}

  async onModuleInit(): Promise<void> {
    const reading = this.reload();
    try {
      await withTimeout(this.startChecks.answerWaitMs, () => reading).catch(async (err: unknown) => {
        if (!isAway(err)) throw err;
        if (!(await this.useCopy())) await reading; // there is nothing to start with
      });
    } catch (err) {
      if (!isAway(err)) throw err;
    }
    this.pollLater();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.writeUses(Date.now(), 0).catch(() => undefined); // losing the time of the last use is harmless
  }

  /**
   * The identity of a presented key; null if it is unknown, expired or revoked.
   * A well-formed unknown key is looked up in the database once between two polls, so that a new key works at once. This
   * also happens if the prefix is known, because the response time would otherwise reveal it.
   * @param onUnknown - called before a key that is not in memory is looked up or refused; may throw
   * @throws the error of the database if the key cannot be looked up, because it may be right
   */
  authenticate(
    presented: string,
    now: number = Date.now(),
    onUnknown: () => void = () => undefined,
  ): KeyIdentity | null | Promise<KeyIdentity | null> {
    if (presented.length > MAX_LENGTH) {
      onUnknown();
      return null;
    }
    const prefix = statedPrefix(presented);
    const hash = hashOf(presented);
    // Always two comparisons, so that the response time reveals nothing.
    const own = matching(prefix === null ? undefined : this.credentials.get(prefix), hash, now);
    const bootstrap = matching(this.credentials.get(BOOTSTRAP_PREFIX), hash, now);
    const credential = own ?? bootstrap;
    if (credential !== null) return this.recordUse(credential);
    onUnknown();
    if (this.isRestored || prefix === null || prefixOf(presented) === null) return null;
    return this.lookUpOnce(prefix, hash).then((found) => {
      const matched = matching(found ?? undefined, hash, now);
      return matched === null ? null : this.recordUse(matched);
    });
  }

  /** False if the database was away at the start, and there is no copy of the keys or it has become too old. */
  get isUsable(): boolean {
    return performance.now() < this.usableUntil;
  }

  /** The data were restored: no key is valid until an operator confirms them (`keys confirm`). */
  get isRestored(): boolean {
    return this.state === 'restored' || (this.state === 'new-timeline' && this.config.confirmNewTimeline);
  }

  /** The identity of a key that was authenticated before; null if it is no longer valid. Counts as a use. */
  byId(id: string, now: number): KeyIdentity | null {
    const credential = this.validCredentials(id, now).at(0);
    return credential ? this.recordUse(credential) : null;
  }

  /** Hashes of the valid secrets of a key, the current one first. */
  hashesOf(id: string, now: number): readonly Buffer[] {
    return this.validCredentials(id, now).map(({ hash }) => hash);
  }

  private validCredentials(id: string, now: number): readonly Credential[] {
    return (this.credentialsById.get(id) ?? []).filter(({ until }) => now < until);
  }

  /** Reads all keys, as each poll does. */
  async reload(): Promise<void> {
    const readAt = Date.now();
    await this.keys.connect();
    const state = await this.keys.installationState();
    if (state !== this.state && state !== 'confirmed') this.logger.error(INSTALLATION_MESSAGES[state]);
    this.state = state;
    const rows = this.isRestored ? [] : await this.keys.listUnrevoked();
    const credentials = rows.flatMap(credentialsOf);
    this.replace(new Map(credentials));
    this.usableUntil = Infinity;
    this.recentLookups.clear();
    this.lookupError = null;
    await this.copy.write({ credentials, readAt });
  }

  /** @returns whether there are usable keys, from the copy or meanwhile from the database */
  private async useCopy(): Promise<boolean> {
    const now = Date.now();
    const read = await this.copy.read(now);
    if (read === null || this.usableUntil === Infinity) return this.isUsable;
    const validMs = COPY_VALID_MS - (now - read.readAt);
    this.replace(new Map(read.credentials));
    this.usableUntil = performance.now() + validMs;
    this.logger.warn(`database away: the copy of the API keys is used for at most ${Math.ceil(validMs / 1000)} s`);
    return true;
  }

  private recordUse({ identity }: Credential): KeyIdentity {
    this.used.add(identity.id);
    return identity;
  }

  private lookUpOnce(prefix: string, hash: Buffer): Promise<Credential | null> {
    const name = hash.toString('base64');
    const running = this.recentLookups.get(name);
    if (running !== undefined) return running;
    if (this.lookupError !== null) return Promise.reject(this.lookupError);
    if (this.recentLookups.size >= MAX_LOOKUPS_PER_POLL) return Promise.resolve(null);
    const found = this.keys.connect().then(() => this.keys.usableBySecret(prefix, hash));
    const lookup = found.then(
      (row) => (row === null ? null : this.add(credentialsOf(row)).get(prefix)) ?? null,
      (err: unknown) => {
        if (!isAway(err)) return null;
        this.lookupError = err as Error;
        throw err; // the key may be right
      },
    );
    this.recentLookups.set(name, lookup);
    return lookup;
  }

  /** Adds a new key before the next poll, for sessions with it. */
  private add(credentials: ReturnType<typeof credentialsOf>): ReadonlyMap<string, Credential> {
    return this.replace(new Map([...this.credentials, ...credentials]));
  }

  private replace(credentials: ReadonlyMap<string, Credential>): ReadonlyMap<string, Credential> {
    const byId = new Map<string, Credential[]>();
    for (const credential of credentials.values())
      byId.set(credential.identity.id, [...(byId.get(credential.identity.id) ?? []), credential]);
    [this.credentials, this.credentialsById] = [credentials, byId];
    return credentials;
  }

  private pollLater(): void {
    if (this.stopped) return;
    const waitMs = this.usableUntil === Infinity ? POLL_MS : FIRST_POLL_MS;
    this.timer = setTimeout(() => void this.poll().finally(() => this.pollLater()), waitMs);
    this.timer.unref();
  }

  private async poll(): Promise<void> {
    try {
      await this.reload();
      await this.writeUses(Date.now(), USED_EVERY_MS);
      this.isReported = false;
    } catch (err) {
      if (!this.isReported)
        this.logger.warn(
          { err },
          'API keys could not be read or their use not be stored; the keys that were read last stay valid',
        );
      this.isReported = true; // log it once per outage
    }
  }

  /** At most once a minute per key. */
  private async writeUses(now: number, everyMs: number): Promise<void> {
    const due = [...this.used].filter((id) => now - (this.written.get(id) ?? -Infinity) >= everyMs);
    if (due.length === 0) return;
    await this.keys.markUsed(due, new Date(now));
    for (const id of due) {
      this.written.set(id, now);
      this.used.delete(id);
    }
  }
}

const isAway = (err: unknown): boolean => err instanceof TimeoutError || isTransientDatabaseError(err);

function matching(credential: Credential | undefined, hash: Buffer, now: number): Credential | null {
  const same = timingSafeEqual(credential?.hash ?? NO_HASH, hash);
  return credential !== undefined && same && now < credential.until ? credential : null;
}

function credentialsOf(row: ApiKeyEntity): readonly (readonly [string, Credential])[] {
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
