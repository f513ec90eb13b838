import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, MoreThan, Repository } from 'typeorm';
import {
  DURABLE_COMMIT,
  type InstallationState,
  SQL_CONFIRM_INSTALLATION,
  SQL_INSTALLATION_STATE,
  recordAudit,
} from '@donorlens/database';
import { DomainError } from '@donorlens/primitives';
import { ApiKeyEntity } from './api-key.entity';
import { hashOf, newKey, prefixOf } from './key-format';

/** Permissions of a key. `charts:rows` is separate because rows name contributors. */
export const SCOPES = ['enrich:read', 'enrich:batch', 'charts:read', 'charts:rows', 'ops'] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

export class KeyError extends DomainError {
  constructor(
    readonly code: 'unknown-key' | 'unknown-scope' | 'revoked-key' | 'expired-key' | 'bad-limit',
    message: string,
  ) {
    super(message);
  }
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: Date | null;
  /** Default 600; null for no limit. */
  readonly requestsPerMinute?: number | null;
  /** Default 5,000,000; null for no limit. */
  readonly batchRowsPerDay?: number | null;
}

/** A new key. It is shown once and stored as a hash. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
}

/** A key without its secrets, for operators. */
export type KeyRecord = Omit<ApiKeyEntity, 'secretHash' | 'previousHash'>;

export const BOOTSTRAP_PREFIX = 'bootstrap';
const REQUESTS_PER_MINUTE = 600;
const BATCH_ROWS_PER_DAY = 5_000_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class KeyRepository {
  private connecting: Promise<unknown> | undefined;

  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /** Before the first call in a process that starts without the database; it may fail and be repeated. */
  async connect(): Promise<void> {
    const { dataSource } = this.keys.manager;
    if (dataSource.isInitialized) return;
    await (this.connecting ??= dataSource.initialize().finally(() => (this.connecting = undefined)));
  }

  /** @throws KeyError for a scope that does not exist or a limit below 1 */
  async issue(request: KeyRequest): Promise<IssuedKey> {
    const scopes = checkedScopes(request.scopes);
    const requestsPerMinute = checkedLimit(request.requestsPerMinute, REQUESTS_PER_MINUTE);
    const batchRowsPerDay = checkedLimit(request.batchRowsPerDay, BATCH_ROWS_PER_DAY);
    const { key, prefix, hash } = newKey();
    const id = randomUUID();
    await this.recorded('key.issued', { id, prefix, scopes }, (manager) =>
      manager.insert(ApiKeyEntity, {
        ...{ id, name: request.name, prefix, secretHash: hash, scopes, requestsPerMinute, batchRowsPerDay },
        expiresAt: request.expiresAt ?? null,
      }),
    );
    return { id, key, prefix };
  }

  /** Newest first, including revoked and expired keys. */
  async list(): Promise<readonly KeyRecord[]> {
    const rows = await this.keys.find({ order: { createdAt: 'DESC', id: 'ASC' } });
    return rows.map(withoutSecrets);
  }

  /** Number of keys that can be used now. */
  count(): Promise<number> {
    const usable = { revokedAt: IsNull() };
    const now = new Date();
    return this.keys.count({
      where: [
        { ...usable, expiresAt: IsNull() },
        { ...usable, expiresAt: MoreThan(now) },
      ],
    });
  }

  /** Idempotent. @throws KeyError if there is no such key */
  async revoke(idOrPrefix: string): Promise<KeyRecord> {
    const found = await this.find(idOrPrefix);
    if (found.revokedAt !== null) return withoutSecrets(found);
    const revokedAt = new Date();
    await this.inDurableTransaction((manager) => revokeKey(manager, found, revokedAt));
    return withoutSecrets({ ...found, revokedAt });
  }

  /**
   * Gives a key a new secret. Its id, batches, quota and limits stay.
   * @param graceSeconds - how long the old secret still works; 0 if it leaked
   * @throws KeyError if there is no such key, or if it is revoked or expired
   */
  async rotate(idOrPrefix: string, { graceSeconds = 0 } = {}): Promise<IssuedKey> {
    const found = await this.find(idOrPrefix);
    if (found.revokedAt !== null) throw revokedKey(found);
    if (found.expiresAt !== null && found.expiresAt.getTime() <= Date.now())
      throw new KeyError('expired-key', `key ${found.prefix} is expired: issue a new one`);
    const { key, prefix, hash } = newKey();
    const old = {
      previousPrefix: graceSeconds > 0 ? found.prefix : null,
      previousHash: graceSeconds > 0 ? found.secretHash : null,
      previousUntil: graceSeconds > 0 ? new Date(Date.now() + graceSeconds * 1000) : null,
    };
    const unrevoked = { id: found.id, revokedAt: IsNull() };
    await this.recorded('key.rotated', { id: found.id, from: found.prefix, to: prefix }, async (manager) => {
      const { affected } = await manager.update(ApiKeyEntity, unrevoked, { prefix, secretHash: hash, ...old });
      if (affected !== 1) throw revokedKey(found); // it was revoked meanwhile
    });
    return { id: found.id, key, prefix };
  }

  /**
   * Creates or updates the bootstrap key: this value, all scopes, no limits. The value may be any string. Each start
   * calls it, so it writes nothing if the key is the same.
   */
  async ensureBootstrap(value: string): Promise<string> {
    const secretHash = hashOf(value);
    const rights = {
      ...{ scopes: [...SCOPES], requestsPerMinute: null, batchRowsPerDay: null },
      ...{ expiresAt: null, revokedAt: null },
    };
    return this.inDurableTransaction(async (manager) => {
      await manager.query('lock table api_key in share row exclusive mode'); // two processes may start at once
      const known = await manager.findOneBy(ApiKeyEntity, { secretHash });
      const earlier = await manager.findOneBy(ApiKeyEntity, { prefix: BOOTSTRAP_PREFIX });
      const isOtherKey = known !== null && earlier !== null && known.id !== earlier.id; // BOOTSTRAP_KEY has changed
      if (isOtherKey) await revokeKey(manager, earlier, new Date());
      const row = known ?? earlier;
      const { id, prefix } = row ?? { id: randomUUID(), prefix: BOOTSTRAP_PREFIX };
      if (row !== null && isDeepStrictEqual({ ...row }, { ...row, ...rights, secretHash })) return id;
      if (row === null) await manager.insert(ApiKeyEntity, { id, name: 'bootstrap', prefix, secretHash, ...rights });
      else await manager.update(ApiKeyEntity, { id }, { ...rights, secretHash });
      const action = row === null ? 'key.issued' : 'key.bootstrapped';
      await recordAudit(manager, 'operator', action, { id, prefix, scopes: rights.scopes });
      return id;
    });
  }

  /**
   * Revokes the bootstrap key of an earlier start, for a start without BOOTSTRAP_KEY. An issued key that was set as
   * BOOTSTRAP_KEY stays valid, with all scopes.
   */
  async revokeBootstrap(): Promise<void> {
    await this.inDurableTransaction(async (manager) => {
      const found = await manager.findOneBy(ApiKeyEntity, { prefix: BOOTSTRAP_PREFIX });
      if (found !== null) await revokeKey(manager, found, new Date());
    });
  }

  /** Whether keys that were revoked may be valid again, because the data are older than the revocation. */
  async installationState(): Promise<InstallationState> {
    const rows: { state: InstallationState }[] = await this.keys.query(`select ${SQL_INSTALLATION_STATE} as state`);
    return rows[0].state;
  }

  /** The keys of a restored database are valid from now on. */
  async confirm(): Promise<void> {
    await this.recorded('keys.confirmed', {}, (manager) => manager.query(SQL_CONFIRM_INSTALLATION));
  }

  /** All keys that are not revoked, with their hashes. */
  listUnrevoked(): Promise<readonly ApiKeyEntity[]> {
    return this.keys.findBy({ revokedAt: IsNull() });
  }

  /** Selects by prefix and secret, so that a wrong secret takes as long as an unknown prefix. */
  usableBySecret(prefix: string, hash: Buffer): Promise<ApiKeyEntity | null> {
    return this.keys.findOneBy([
      { prefix, secretHash: hash, revokedAt: IsNull() },
      { previousPrefix: prefix, previousHash: hash, revokedAt: IsNull() },
    ]);
  }

  async markUsed(ids: readonly string[], at: Date): Promise<void> {
    await this.keys.update({ id: In([...ids]) }, { lastUsedAt: at });
  }

  private async find(idOrPrefix: string): Promise<ApiKeyEntity> {
    const wanted = idOrPrefix.trim();
    const prefix = prefixOf(wanted) ?? (/^[0-9A-Za-z]{8}$/.test(wanted) ? `dl_${wanted}` : wanted);
    const found = await this.keys.findOneBy(UUID.test(wanted) ? { id: wanted } : { prefix });
    if (found === null)
      throw new KeyError('unknown-key', 'no API key has this id or prefix: list the keys with bin/donorlens keys list');
    return found;
  }

  /** Makes the change and its audit entry in one transaction. */
  private async recorded(
    action: string,
    detail: Readonly<Record<string, unknown>>,
    change: (manager: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    await this.inDurableTransaction(async (manager) => {
      await change(manager);
      await recordAudit(manager, 'operator', action, detail);
    });
  }

  /** One transaction whose commit waits for the disk. */
  private inDurableTransaction<T>(change: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.keys.manager.transaction(async (manager) => {
      await manager.query(DURABLE_COMMIT);
      return change(manager);
    });
  }
}

/** Revokes a key with its audit entry; neither is written if it is revoked already. */
async function revokeKey(manager: EntityManager, { id, prefix }: ApiKeyEntity, revokedAt: Date): Promise<void> {
  const { affected } = await manager.update(ApiKeyEntity, { id, revokedAt: IsNull() }, { revokedAt });
  if (affected === 1) await recordAudit(manager, 'operator', 'key.revoked', { id, prefix });
}

const revokedKey = ({ prefix }: ApiKeyEntity): KeyError =>
  new KeyError('revoked-key', `key ${prefix} is revoked: issue a new one`);

function withoutSecrets({ secretHash: _, previousHash: __, ...record }: ApiKeyEntity): KeyRecord {
  return record;
}

function checkedScopes(scopes: readonly string[]): string[] {
  const wrong = scopes.filter((scope) => !isScope(scope));
  if (wrong.length > 0 || scopes.length === 0)
    throw new KeyError('unknown-scope', `scopes are ${SCOPES.join(', ')}; not ${wrong.join(', ') || 'none'}`);
  return [...new Set(scopes)];
}

function checkedLimit(limit: number | null | undefined, usual: number): number | null {
  if (limit === undefined) return usual;
  if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 1))
    throw new KeyError('bad-limit', `a limit is a whole number from 1 on, not ${limit}`);
  return limit;
}
