import { setTimeout as pause } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Config, ConfigModule } from '@donorlens/config';
import { DatabaseModule, PG_POOL } from '@donorlens/database';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../test/support';
import { TcpProxy } from '../../../test/support/tcp-proxy';
import { AccessKeysModule } from './access-keys.module';
import { KeyRing } from './key-ring';
import { KeyRepository } from './key.repository';

describe('the module of access keys', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase();
  });
  afterEach(() => db.close());

  const boot = (databaseUrl: string) => {
    @Module({
      imports: [
        ConfigModule.with({ databaseUrl } as Config),
        ObservabilityModule.with(createLogger('test', 'silent')),
        DatabaseModule.with({ databaseUrl }, { name: 'module test' }),
        AccessKeysModule,
      ],
    })
    class App {}
    return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  };

  it('serves the ring and the repository, and leaves no connection behind when it closes', async () => {
    const app = await boot(db.url);
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

  it('does not start on a database that this code does not fit', async () => {
    await db.pool.query(`insert into schema_migration (number, name, sha256) values (9999, 'of the future', '')`);
    await expect(boot(db.url)).rejects.toMatchObject({ code: 'schema-newer' });
  });
});
