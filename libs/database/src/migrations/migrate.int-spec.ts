import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { assertSchemaIsCurrent, migrate, schemaVersion } from './migrate';
import { type Migration, migrationsFolder, readMigrations } from './migration-files';

const logger = createLogger('test', 'silent');
const migration = (number: number, name: string, sql: string): Migration => ({
  number,
  name,
  sql,
  sha256: createHash('sha256').update(sql).digest(),
});

describe('migrate', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase({ migrated: false });
  });
  afterEach(() => db.close());

  it('brings an empty database to the newest migration, and a second run finds nothing to do', async () => {
    const known = readMigrations();
    expect((await migrate(db.url, logger)).applied).toEqual(known.map(({ name }) => name));
    expect((await migrate(db.url, logger)).applied).toEqual([]);
    expect(await schemaVersion(db.pool)).toBe(known.length);
    await expect(assertSchemaIsCurrent(db.pool)).resolves.toBeUndefined();
  });

  it('reads the files of the code once, however often the schema is checked', async () => {
    await migrate(db.url, logger);
    await assertSchemaIsCurrent(db.pool);
    const reads = [jest.spyOn(fs, 'readdirSync'), jest.spyOn(fs, 'readFileSync')];
    await assertSchemaIsCurrent(db.pool);
    for (const read of reads) expect(read).not.toHaveBeenCalled();
    for (const read of reads) read.mockRestore();
  });

  it('applies each migration once when five processes migrate at the same time', async () => {
    const reports = await Promise.all(Array.from({ length: 5 }, () => migrate(db.url, logger)));
    const applied = reports.flatMap((report) => report.applied);
    expect(applied.sort()).toEqual(
      readMigrations()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('keeps migrations before one that fails, and nothing of that one', async () => {
    const good = migration(1, 'good', 'create table a (x int)');
    const bad = migration(2, 'bad', 'create table b (x int); select 1/0');
    await expect(migrate(db.url, logger, { migrations: [good, bad] })).rejects.toMatchObject({
      code: 'migration-failed',
    });
    expect(await schemaVersion(db.pool)).toBe(1);
    const { rows } = await db.pool.query(`select to_regclass('a') is not null a, to_regclass('b') is not null b`);
    expect(rows).toEqual([{ a: true, b: false }]);
  });

  it('refuses a database that is newer than the code, and one that is older', async () => {
    const [one, two] = [migration(1, 'one', 'select 1'), migration(2, 'two', 'select 2')];
    await migrate(db.url, logger, { migrations: [one, two] });
    await expect(migrate(db.url, logger, { migrations: [one] })).rejects.toMatchObject({ code: 'schema-newer' });
    await expect(assertSchemaIsCurrent(db.pool, [one])).rejects.toMatchObject({ code: 'schema-newer' });
    await expect(assertSchemaIsCurrent(db.pool, [one, two, migration(3, 'three', 'select 3')])).rejects.toMatchObject({
      code: 'schema-older',
    });
  });

  it('refuses a file that was edited after it had been applied', async () => {
    await migrate(db.url, logger, { migrations: [migration(1, 'one', 'select 1')] });
    await expect(
      migrate(db.url, logger, { migrations: [migration(1, 'one', 'select 1 -- edited')] }),
    ).rejects.toMatchObject({ code: 'schema-edited' });
  });

  it('is protected from edited files by the static checks', () => {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-migrations-'));
    cpSync(migrationsFolder(), folder, { recursive: true });
    const script = join(__dirname, '../../../../scripts/migrations/check.js');
    const check = () => spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    expect(check()).toMatchObject({ status: 0, stderr: '' });
    appendFileSync(join(folder, '0004_operations.sql'), '-- edited');
    writeFileSync(join(folder, '9999_new.sql'), 'select 1');
    const { status, stderr } = check();
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toContain('0004_operations.sql was edited');
    expect(stderr).toMatch(/9999_new.sql is new: add this line to checksums.txt:\n[0-9a-f]{64} {2}9999_new.sql\n/);
  });

  it('fails with one clear message if another process holds the lock', async () => {
    await db.pool.query('create table gate ()');
    const gate = await db.pool.connect();
    await gate.query('begin; lock table gate');
    const held = migration(1, 'held', 'set local lock_timeout = 0; select from gate');
    const first = migrate(db.url, logger, { migrations: [held] });
    await untilWaitedFor(db, 'gate');
    await expect(migrate(db.url, logger, { lockWaitMs: 150 })).rejects.toMatchObject({ code: 'schema-locked' });
    await gate.query('commit');
    gate.release();
    await expect(first).resolves.toMatchObject({ applied: ['held'] });
  });

  it('retries if a table is in use', async () => {
    await migrate(db.url, logger, { migrations: [migration(1, 'one', 'create table busy (x int)')] });
    const reader = await db.pool.connect();
    await reader.query('begin');
    await reader.query('select * from busy');
    const two = migration(2, 'two', `set local lock_timeout = '50ms'; alter table busy add column y int`);
    const run = migrate(db.url, logger, { migrations: [migration(1, 'one', 'create table busy (x int)'), two] });
    setTimeout(() => void reader.query('commit').finally(() => reader.release()), 200);
    await expect(run).resolves.toMatchObject({ applied: ['two'] });
  });
});

async function untilWaitedFor({ pool }: TestDatabase, table: string): Promise<void> {
  const waiting = 'select from pg_locks where relation = $1::regclass and not granted';
  await until(`a process waits for ${table}`, async () => (await pool.query(waiting, [table])).rowCount === 1);
}
