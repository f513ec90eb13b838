import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Config, ConfigModule } from '@donorlens/config';
import { DatabaseModule, PG_POOL, StartChecks } from '@donorlens/database';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { TcpProxy } from '../../../test/support/servers/tcp-proxy';
import { AccessKeysModule } from './access-keys.module';
import { COPY_VALID_MS, decodeCopy, encodeCopy } from './key-copy';
import { KeyRing } from './key-ring';
import { KeyRepository } from './key.repository';

describe('the module of access keys', () => {
  let db: TestDatabase;
  let home: string;
  beforeEach(async () => {
    db = await testDatabase();
    home = mkdtempSync(join(tmpdir(), 'donorlens-keys-'));
  });
  afterEach(async () => {
    await db.close();
    rmSync(home, { recursive: true });
  });

  const SECRET = 'a secret of the tests';
  const boot = (databaseUrl: string, startsWithoutDatabase = false) => {
    @Module({
      imports: [
        ConfigModule.forRoot({ databaseUrl, home, addressSecret: SECRET } as Config),
        ObservabilityModule.forRoot(createLogger('test', 'silent')),
        DatabaseModule.forRoot({ databaseUrl }, { name: 'module test', startsWithoutDatabase }),
        AccessKeysModule,
      ],
    })
    class App {}
    return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  };

  it('serves the ring and the repository, and leaves no connection behind when it closes', async () => {
    const app = await boot(db.url);
    expect(app.get(StartChecks).answerWaitMs).toBe(2_000);
    const { key } = await app.get(KeyRepository).issue({ name: 'newsroom', scopes: ['ops'] });
    expect(await app.get(KeyRing).authenticate(key)).toMatchObject({ name: 'newsroom' });
    expect((await app.get<Pool>(PG_POOL).query('select count(*)::int as n from api_key')).rows[0].n).toBe(1);
    await app.close();
    const left = `select count(*)::int as n from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()
      and application_name in ('module test', 'donorlens typeorm')`;
    while ((await db.pool.query(left, [db.name])).rows[0].n > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const { rows } = await db.pool.query('select last_used_at from api_key');
    expect(rows[0].last_used_at).not.toBeNull();
  });

  it('waits for a database that is away', async () => {
    const proxy = await TcpProxy.to(Number(new URL(db.url).port));
    proxy.set({ kind: 'reset' });
    const started = boot(proxy.through(db.url));
    await expect(Promise.race([started, pause(1_000, 'waiting')])).resolves.toBe('waiting');
    proxy.set({ kind: 'normal' });
    await (await started).close();
    await proxy.close();
  });

  describe('with a copy of the keys', () => {
    let proxy: TcpProxy;
    let url: string;
    const text = (): string => readFileSync(join(home, 'api-keys'), 'utf8');
    const owner = () => ({ database: new URL(url).host + new URL(url).pathname, secret: SECRET });

    beforeEach(async () => {
      proxy = await TcpProxy.to(Number(new URL(db.url).port));
      url = proxy.through(db.url);
    });
    afterEach(() => proxy.close());

    /** Starts with the database, issues a key, and returns it when the copy has it. */
    const keyInCopy = async (): Promise<string> => {
      const app = await boot(url);
      const { key, prefix } = await app.get(KeyRepository).issue({ name: 'newsroom', scopes: ['ops'] });
      await until('the copy has the key', () => text().includes(prefix));
      await app.close();
      return key;
    };

    it('only its owner can read it, it has no key, and a revoked key vanishes from it', async () => {
      const app = await boot(url);
      const { key, prefix } = await app.get(KeyRepository).issue({ name: 'newsroom', scopes: ['ops'] });
      await until('the copy has the key', () => text().includes(prefix));
      expect(statSync(join(home, 'api-keys')).mode & 0o777).toBe(0o600);
      expect(text()).not.toContain(key);
      await app.get(KeyRepository).revoke(prefix);
      await until('the copy has no key', () => !text().includes(prefix));
      await app.close();
    });

    it.each([['reset'], ['half-open']] as const)(
      'starts while connections are %s, and the database decides when it answers',
      async (kind) => {
        const key = await keyInCopy();
        proxy.set({ kind });
        const app = await boot(url, true);
        expect(app.get(StartChecks).answerWaitMs).toBe(0);
        const ring = app.get(KeyRing);
        expect(ring.isUsable).toBe(true);
        expect(await ring.authenticate(key)).toMatchObject({ name: 'newsroom' });
        expect(await ring.authenticate(`${key}x`)).toBeNull();
        await db.pool.query('update api_key set revoked_at = now()');
        proxy.set({ kind: 'normal', dropExisting: true });
        await until('the key is refused', async () => (await ring.authenticate(key)) === null);
        expect(ring.isUsable).toBe(true);
        await app.close();
      },
    );

    it('does not use one that is older than ten minutes, damaged or missing', async () => {
      await keyInCopy();
      const read = decodeCopy(text(), owner(), Date.now());
      const old = encodeCopy({ ...read, readAt: Date.now() - COPY_VALID_MS }, owner());
      proxy.set({ kind: 'reset' });
      for (const copy of [old, text().replace('newsroom', 'newsreel'), '']) {
        writeFileSync(join(home, 'api-keys'), copy);
        const app = await boot(url, true);
        expect(app.get(KeyRing).isUsable).toBe(false);
        await app.close();
      }
    });

    it('does not have the keys of a restored database', async () => {
      await keyInCopy();
      await db.pool.query('delete from installation');
      await (await boot(url)).close();
      expect(() => decodeCopy(text(), owner(), Date.now())).toThrow('it has no key');
    });
  });

  it('does not start on a database that this code does not fit', async () => {
    await db.pool.query(`insert into schema_migration (number, name, sha256) values (9999, 'of the future', '')`);
    await expect(boot(db.url)).rejects.toMatchObject({ code: 'schema-newer' });
  });
});
