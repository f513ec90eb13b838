import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pool, type QueryResult } from 'pg';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, startPgbouncer, testDatabase } from '../../../test/support/servers';
import { describeWith } from '../../../test/support/tools';
import { assertSchemaIsCurrent, migrate } from './migrations/migrate';
import { readMigrations } from './migrations/migration-files';
import { createPool, inTransaction } from './pool';

const logger = createLogger('test', 'silent');

/** Two connections to the server for all clients, each of which gets another one with each transaction. */
describeWith('pgbouncer')('behind PgBouncer in transaction mode', () => {
  let home: string;
  let db: TestDatabase;
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
  let pool: Pool;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-pgbouncer-'));
    chmodSync(home, 0o711);
    db = await testDatabase({ migrated: false });
    pooler = await startPgbouncer({ home, postgresUrl: db.url, poolSize: 2 });
    pool = createPool(pooler.url, logger);
  });
  afterAll(async () => {
    await pool.end();
    await pooler.stop();
    await db.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('the schema is created, each migration once by three simultaneous processes', async () => {
    const reports = await Promise.all([1, 2, 3].map(() => migrate(pooler.url, logger)));
    expect(reports.flatMap(({ applied }) => applied)).toHaveLength(readMigrations().length);
    await expect(assertSchemaIsCurrent(pool)).resolves.toBeUndefined();
  });

  it('connections have the timeouts of the role, and an existing one is kept', async () => {
    await db.pool.query(`alter role current_user in database ${db.name} set lock_timeout = '7s'`);
    await migrate(pooler.url, logger);
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`,
      [db.name],
    );
    const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
    const asked = (): Promise<QueryResult> => pool.query(settings).catch(asked);
    expect((await asked()).rows).toEqual([{ statement: '30s', lock: '7s' }]);
  });

  it('a named statement works on any connection', async () => {
    const ask = (n: number) =>
      inTransaction(pool, async (client) => {
        await client.query({ name: 'first', text: 'select $1::int as n', values: [n] });
        const { rows } = await client.query<{ n: number }>({
          name: 'second',
          text: 'select $1::int + 1 as n',
          values: [n],
        });
        return rows[0].n;
      });
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    expect(await Promise.all(numbers.map(ask))).toEqual(numbers.map((n) => n + 1));
  });

  it('a start without ?pgbouncer=true fails with the setting to add', async () => {
    const unannounced = createPool(pooler.url.replace('?pgbouncer=true', ''), logger);
    await expect(assertSchemaIsCurrent(unannounced)).rejects.toThrow('add ?pgbouncer=true');
    await unannounced.end();
  });
});
