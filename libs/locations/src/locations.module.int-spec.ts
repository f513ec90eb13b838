import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigError, ConfigModule, readConfig } from '@donorlens/config';
import { DatabaseModule, inTransaction } from '@donorlens/database';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { AddressKeys } from './address-keys';
import { LocationRepository } from './location.repository';
import { LocationsModule } from './locations.module';

const SECRET = 'a secret for tests only';
const OTHER = 'another secret for tests';

describe('the module of locations', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase();
  });
  afterEach(() => db.close());

  const boot = (env: NodeJS.ProcessEnv) => {
    @Module({
      imports: [
        ConfigModule.forRoot(readConfig(env)),
        ObservabilityModule.forRoot(createLogger('test', 'silent')),
        DatabaseModule.forRoot({ databaseUrl: db.url }, { name: 'module test' }),
        LocationsModule,
      ],
    })
    class App {}
    return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  };
  const claimed = async (): Promise<unknown[]> =>
    (await db.pool.query(`select version_id from pointer where name = 'address-secret'`)).rows;

  it('provides keys and locations, and stores the fingerprint of the first secret', async () => {
    const app = await boot({ ADDRESS_SECRET: SECRET });
    const { fingerprint } = app.get(AddressKeys);
    await app.get(LocationRepository).outcomes([Buffer.alloc(16)]);
    await app.close();
    expect(await claimed()).toEqual([{ version_id: fingerprint }]);
    expect((await db.pool.query('select misses from geocoder')).rows).toEqual([{ misses: '1' }]);
    await (await boot({ ADDRESS_SECRET: SECRET })).close();
  });

  it('requests with the settings of the environment, which are part of the keys', async () => {
    const app = await boot({ ADDRESS_SECRET: SECRET, GEOCODER_BENCHMARK: 'Some_B', GEOCODER_VINTAGE: 'Some_V' });
    const address = { street: '12 Elm St', city: 'Springfield', state: 'IL', zip: '62701' };
    const key = app.get(AddressKeys).keyOf(address)!;
    const asked = { ...address, key, order: 1, rows: 1, okRows: 1 };
    await inTransaction(db.pool, (client) => app.get(LocationRepository).ask(client, [asked], null));
    await app.close();
    const { rows } = await db.pool.query('select address_key, benchmark, vintage from geocode_address');
    expect(rows).toEqual([{ address_key: key, benchmark: 'Some_B', vintage: 'Some_V' }]);
    expect(new AddressKeys({ secret: SECRET, benchmark: 'Some_B', vintage: 'Some_V' }).keyOf(address)).toEqual(key);
  });

  it('does not start with another secret; the error names the setting and not the secret', async () => {
    await (await boot({ ADDRESS_SECRET: SECRET })).close();
    const error: unknown = await boot({ ADDRESS_SECRET: OTHER }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError); // which is how a role comes to end with exit code 2
    expect(error).toMatchObject({ code: 'address_secret' });
    expect(String(error)).toMatch(/ADDRESS_SECRET is not .* file address-secret/);
    expect(String(error)).not.toMatch(new RegExp(`${SECRET}|${OTHER}`));
    expect(await claimed()).toHaveLength(1);
  });

  it('does not start without one', async () => {
    await expect(boot({})).rejects.toThrow('ADDRESS_SECRET is needed');
  });

  it('accepts one of several secrets of simultaneous starts on a new database', async () => {
    const starts = await Promise.allSettled([SECRET, OTHER, SECRET].map((secret) => boot({ ADDRESS_SECRET: secret })));
    const started = starts.filter((start) => start.status === 'fulfilled');
    await Promise.all(started.map(({ value }) => value.close()));
    expect(await claimed()).toHaveLength(1);
    expect([1, 2]).toContain(started.length);
  });
});
