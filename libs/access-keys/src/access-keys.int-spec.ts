import { DataSource } from 'typeorm';
import { type Logger, createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { ApiKeyEntity } from './api-key.entity';
import { dataSourceOptions } from './data-source';
import { newKey } from './key-format';
import { KeyRing } from './key-ring';
import { KeyRepository, SCOPES } from './key.repository';

const noCopy = { read: () => Promise.resolve(null), write: () => Promise.resolve() };

describe('access keys', () => {
  let db: TestDatabase;
  let dataSource: DataSource;
  let keys: KeyRepository;
  let ring: KeyRing;

  beforeAll(async () => {
    db = await testDatabase();
    dataSource = await new DataSource(dataSourceOptions(db.url)).initialize();
    keys = new KeyRepository(dataSource.getRepository(ApiKeyEntity));
  });
  beforeEach(async () => {
    await db.pool.query('truncate api_key cascade');
    ring = new KeyRing(keys, createLogger('test', 'silent'), noCopy, { confirmNewTimeline: true }, { answerWaitMs: 0 });
    await ring.reload();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await db.close();
  });

  const issue = () => keys.issue({ name: 'newsroom', scopes: ['enrich:read'] });

  it('accepts an issued key at once, with its scopes and default limits', async () => {
    const { key, id } = await issue();
    expect(await ring.authenticate(key)).toEqual({
      id,
      name: 'newsroom',
      scopes: new Set(['enrich:read']),
      requestsPerMinute: 600,
      batchRowsPerDay: 5_000_000,
    });
  });

  it('answers from memory, without a promise, after the key was read', async () => {
    const { key, id } = await issue();
    await ring.reload();
    expect(ring.authenticate(key)).toMatchObject({ id });
  });

  it('accepts no key of a database that was loaded from a dump, until an operator confirms them', async () => {
    const { key, id } = await issue();
    await db.pool.query('update installation set key_table = 0'); // as in a table of another database
    await ring.reload();
    expect([ring.isRestored, ring.authenticate(key)]).toEqual([true, null]);
    await keys.confirm();
    await ring.reload();
    expect(ring.isRestored).toBe(false);
    expect(ring.authenticate(key)).toMatchObject({ id });
  });

  it('accepts no key after a new timeline if CONFIRM_NEW_TIMELINE is true, and logs it otherwise', async () => {
    const { key, id } = await issue();
    await db.pool.query('update installation set timeline = timeline - 1'); // as by a point-in-time recovery
    const errors: unknown[] = [];
    const logger = { error: (text: unknown) => errors.push(text) } as unknown as Logger;
    const warned = new KeyRing(keys, logger, noCopy, { confirmNewTimeline: false }, { answerWaitMs: 0 });
    for (const each of [ring, warned, warned]) await each.reload();
    expect([ring.isRestored, ring.authenticate(key)]).toEqual([true, null]);
    expect([warned.isRestored, warned.authenticate(key)]).toEqual([false, expect.objectContaining({ id })]);
    expect(errors).toEqual([expect.stringContaining('run "bin/donorlens keys confirm"')]); // once
    await keys.confirm();
    await ring.reload();
    expect(ring.authenticate(key)).toMatchObject({ id });
  });

  it('stores neither key nor secret', async () => {
    const { key, prefix } = await issue();
    const { rows } = await db.pool.query('select k::text as line from api_key k');
    expect(rows[0].line).toContain(prefix);
    expect(rows[0].line).not.toContain(key.split('_')[2]);
    expect(JSON.stringify(await keys.list())).not.toMatch(/hash/i);
  });

  it.each([
    ['an empty one', ''],
    ['any text', 'letmein-letmein'],
    ['a well-formed key that was not issued', newKey().key],
    ['one that is far too long', 'x'.repeat(100_000)],
  ])('rejects %s', async (_, presented) => {
    await issue();
    expect(await ring.authenticate(presented)).toBeNull();
  });

  it('rejects a key with a known prefix and a wrong secret', async () => {
    const { prefix } = await issue();
    const other = newKey();
    await db.pool.query('update api_key set prefix = $1 where prefix = $2', [other.prefix, prefix]);
    await ring.reload();
    expect(await ring.authenticate(other.key)).toBeNull();
  });

  it('queries the database once for an unknown key, however often it is sent', async () => {
    const asked = jest.spyOn(keys, 'usableBySecret');
    const { key } = newKey();
    await Promise.all(Array.from({ length: 20 }, async () => ring.authenticate(key)));
    await ring.authenticate(key);
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
  });

  it('queries a known prefix with a wrong secret like an unknown one, so that timing reveals neither', async () => {
    const { prefix } = await issue();
    const wrong = newKey();
    await db.pool.query('update api_key set prefix = $1 where prefix = $2', [wrong.prefix, prefix]);
    await ring.reload();
    const asked = jest.spyOn(keys, 'usableBySecret');
    for (const { key } of [wrong, wrong, newKey()]) expect(await ring.authenticate(key)).toBeNull();
    expect(asked).toHaveBeenCalledTimes(2);
    for (const { value } of asked.mock.results) expect(await (value as Promise<unknown>)).toBeNull(); // nothing to read
    asked.mockRestore();
  });

  it('queries at most 50 times between two polls for many unknown keys', async () => {
    const asked = jest.spyOn(keys, 'usableBySecret');
    await Promise.all(Array.from({ length: 200 }, async () => ring.authenticate(newKey().key)));
    expect(asked).toHaveBeenCalledTimes(50);
    asked.mockRestore();
  });

  it('rejects a revoked key after the next poll', async () => {
    const { key, prefix } = await issue();
    await ring.onModuleInit();
    expect(ring.authenticate(key)).not.toBeNull();
    await keys.revoke(prefix);
    await until('shut out', async () => (await ring.authenticate(key)) === null);
    await ring.beforeApplicationShutdown();
  });

  it('rejects a key from its expiry', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const { key } = await keys.issue({ name: 'for a minute', scopes: ['ops'], expiresAt });
    await ring.reload();
    expect(ring.authenticate(key, expiresAt.getTime() - 1)).not.toBeNull();
    expect(await ring.authenticate(key, expiresAt.getTime())).toBeNull();
  });

  it('rotates the secret and keeps the key: same id, the old secret ends at once or after its grace', async () => {
    const first = await issue();
    const second = await keys.rotate(first.prefix);
    await ring.reload();
    expect(second.id).toBe(first.id);
    expect(await ring.authenticate(first.key)).toBeNull();
    expect(ring.authenticate(second.key)).toMatchObject({ id: first.id });

    const third = await keys.rotate(first.id, { graceSeconds: 60 });
    await ring.reload();
    expect(ring.authenticate(second.key)).toMatchObject({ id: first.id });
    expect(ring.authenticate(third.key)).toMatchObject({ id: first.id });
    expect(await ring.authenticate(second.key, Date.now() + 61_000)).toBeNull();
  });

  it('does not rotate a key that is expired, or that is revoked meanwhile', async () => {
    const { prefix } = await keys.issue({ name: 'over', scopes: ['ops'], expiresAt: new Date(Date.now() - 1) });
    await expect(keys.rotate(prefix)).rejects.toMatchObject({ code: 'expired-key' });
    const { id } = await issue();
    const unrevoked = await dataSource.getRepository(ApiKeyEntity).findOneByOrFail({ id });
    await keys.revoke(id);
    const read = jest.spyOn(dataSource.getRepository(ApiKeyEntity), 'findOneBy').mockResolvedValueOnce(unrevoked);
    await expect(keys.rotate(id)).rejects.toMatchObject({ code: 'revoked-key' });
    read.mockRestore();
  });

  it('accepts any string as the bootstrap key, with all scopes and without limits, and replaces it with its value', async () => {
    const id = await keys.ensureBootstrap('correct horse');
    expect(await keys.ensureBootstrap('correct horse')).toBe(id);
    await ring.reload();
    expect(ring.authenticate('correct horse')).toMatchObject({
      id,
      scopes: new Set(SCOPES),
      requestsPerMinute: null,
      batchRowsPerDay: null,
    });
    expect(await keys.ensureBootstrap('battery staple')).toBe(id);
    await ring.reload();
    expect(await ring.authenticate('correct horse')).toBeNull();
    expect(ring.authenticate('battery staple')).toMatchObject({ id });
    await keys.revokeBootstrap();
    await ring.reload();
    expect(await ring.authenticate('battery staple')).toBeNull();
  });

  it('accepts an issued key as the bootstrap key, and removes the earlier one', async () => {
    await keys.ensureBootstrap('correct horse');
    const { key, id } = await issue();
    expect(await keys.ensureBootstrap(key)).toBe(id);
    await ring.reload();
    expect(ring.authenticate(key)).toMatchObject({ id, requestsPerMinute: null });
    expect(await ring.authenticate('correct horse')).toBeNull();
  });

  it('creates one bootstrap key for several processes that start at once', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => keys.ensureBootstrap('correct horse')));
    expect(new Set(ids).size).toBe(1);
    expect(await keys.count()).toBe(1);
  });

  it('finds a key by its id, its prefix, the eight characters of it, or the key itself', async () => {
    const { id, prefix, key } = await issue();
    for (const name of [id, prefix, prefix.slice(3), key]) expect((await keys.revoke(name)).id).toBe(id);
    await expect(keys.revoke('dl_nobody00')).rejects.toMatchObject({ code: 'unknown-key' });
    await expect(keys.rotate(prefix)).rejects.toMatchObject({ code: 'revoked-key' });
  });

  it('rejects an unknown scope and a limit of zero', async () => {
    await expect(keys.issue({ name: 'x', scopes: ['enrich:write'] })).rejects.toMatchObject({ code: 'unknown-scope' });
    await expect(keys.issue({ name: 'x', scopes: [] })).rejects.toMatchObject({ code: 'unknown-scope' });
    await expect(keys.issue({ name: 'x', scopes: ['ops'], requestsPerMinute: 0 })).rejects.toMatchObject({
      code: 'bad-limit',
    });
  });

  it('stores the last use at most once a minute', async () => {
    const { key } = await issue();
    const [{ createdAt }] = await keys.list();
    await ring.authenticate(key);
    await ring.beforeApplicationShutdown();
    const [{ lastUsedAt }] = await keys.list();
    expect(lastUsedAt?.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
    const marked = jest.spyOn(keys, 'markUsed');
    await ring.authenticate(key);
    await (ring as unknown as { poll(): Promise<void> }).poll();
    expect(marked).not.toHaveBeenCalled();
    marked.mockRestore();
  });

  it('goes on with the keys it knows while the database cannot be read', async () => {
    const { key } = await issue();
    await ring.reload();
    const failing = jest.spyOn(keys, 'listUnrevoked').mockRejectedValue(new Error('database is away'));
    await (ring as unknown as { poll(): Promise<void> }).poll();
    expect(ring.authenticate(key)).not.toBeNull();
    failing.mockRestore();
  });

  it('has an entity with the columns of its table', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const changes = upQueries
      .map(({ query }) => query)
      .filter((query) => /"api_key" (ADD|DROP) (?!CONSTRAINT)/.test(query));
    expect(changes).toEqual([]);
  });

  it('leaves a line in the audit for each change, without the key', async () => {
    const { key, prefix } = await issue();
    const { key: next } = await keys.rotate(prefix);
    await keys.revoke(next);
    const { rows: lines } = await db.pool.query('select actor, action, detail from audit order by id desc limit 3');
    expect(lines).toMatchObject([
      { actor: 'operator', action: 'key.revoked' },
      { actor: 'operator', action: 'key.rotated' },
      { actor: 'operator', action: 'key.issued', detail: { prefix } },
    ]);
    expect(JSON.stringify(lines)).not.toContain(key);
    expect(JSON.stringify(lines)).not.toContain(next);
  });

  it('leaves a line in the audit if a start changes the bootstrap key, and none if it is the same', async () => {
    await db.pool.query('truncate audit');
    const { id, key, prefix } = await issue();
    for (const value of ['correct horse', 'correct horse', 'battery staple', key, key])
      await keys.ensureBootstrap(value);
    await keys.ensureBootstrap('correct horse'); // the earlier bootstrap key is valid again
    for (let start = 0; start < 2; start++) await keys.revokeBootstrap();
    const { rows: lines } = await db.pool.query('select action, detail from audit order by id');
    const bootstrap = { prefix: 'bootstrap' };
    expect(lines).toMatchObject([
      { action: 'key.issued', detail: { id, prefix } },
      { action: 'key.issued', detail: bootstrap },
      { action: 'key.bootstrapped', detail: bootstrap },
      { action: 'key.revoked', detail: bootstrap },
      { action: 'key.bootstrapped', detail: { id, prefix, scopes: [...SCOPES] } },
      { action: 'key.bootstrapped', detail: bootstrap },
      { action: 'key.revoked', detail: bootstrap },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/horse|staple/);
  });
});
