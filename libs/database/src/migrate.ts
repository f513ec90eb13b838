import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { type Logger } from '@donorlens/observability';
import { type Migration, readMigrations } from './migration-files';
import { SchemaError } from './schema-error';

/** Session advisory lock of the runner: "donorlens" as a number, chosen once. */
const LOCK = 7_150_115_301;
const OLDEST_SERVER = 13; // the queue's Postgres backend needs it
const LEDGER = `create table if not exists schema_migration (
  number int primary key,
  name text not null,
  sha256 bytea not null,
  applied_at timestamptz not null default now()
)`;

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** How long to wait for another process that migrates. */
  readonly lockWaitMs?: number;
  /** How often a migration is tried again when a lock on a table was not had within three seconds. */
  readonly tries?: number;
}

export interface MigrateReport {
  readonly version: number;
  readonly applied: readonly string[];
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly sha256: Buffer;
}

/**
 * Brings the schema to the newest migration; each one is a transaction of its own.
 * The lock belongs to a session, so the URL must lead to Postgres itself or to a pooler that keeps sessions.
 * Safe to call from any number of processes at once: one works, the others wait and find nothing to do.
 * @throws SchemaError when the database is newer than the code, or a file that was applied has been edited
 */
export async function migrate(
  databaseUrl: string,
  logger: Logger,
  options: MigrateOptions = {},
): Promise<MigrateReport> {
  const migrations = options.migrations ?? readMigrations();
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', (err) => logger.warn({ err }, 'connection of the migration runner was lost'));
  await client.connect();
  try {
    await assertServerIsRecent(client);
    await takeLock(client, options.lockWaitMs ?? 120_000);
    await client.query(LEDGER);
    const done = await appliedMigrations(client);
    assertSameHistory(done, migrations);
    const open = migrations.slice(done.length);
    for (const migration of open) {
      await applyPatiently(client, migration, options.tries ?? 10, logger);
      logger.info({ migration: `${migration.number}_${migration.name}` }, 'migration applied');
    }
    return { version: migrations.length, applied: open.map(({ name }) => name) };
  } finally {
    await client.end(); // ends the session, and with it the lock
  }
}

/** Refuses to work on a schema that this code was not written for. @throws SchemaError */
export async function assertSchemaIsCurrent(
  pool: Pool,
  migrations: readonly Migration[] = readMigrations(),
): Promise<void> {
  const version = await schemaVersion(pool);
  if (version < migrations.length)
    throw new SchemaError(
      'schema-older',
      `the database is at migration ${version}, this code needs ${migrations.length}: run "bin/donorlens migrate"`,
      { version, needed: migrations.length },
    );
  if (version > migrations.length) throw newer(version, migrations.length);
}

/** Number of the newest migration in the database, 0 for an empty one. */
export async function schemaVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ledger: string | null }>(
    `select to_regclass('schema_migration')::text as ledger`,
  );
  if (rows[0].ledger === null) return 0;
  const found = await pool.query<{ version: number }>(
    'select coalesce(max(number), 0) as version from schema_migration',
  );
  return found.rows[0].version;
}

async function assertServerIsRecent(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  if (rows[0].number < OLDEST_SERVER * 10_000)
    throw new SchemaError(
      'server-too-old',
      `Postgres ${rows[0].version} is too old: ${OLDEST_SERVER} or newer is needed`,
      {
        version: rows[0].version,
      },
    );
}

/** Polled, because a session that waits inside pg_advisory_lock holds a snapshot, and that blocks CREATE INDEX CONCURRENTLY. */
async function takeLock(client: Client, waitMs: number): Promise<void> {
  const end = Date.now() + waitMs;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [LOCK]);
    if (rows[0].held) return;
    if (Date.now() >= end)
      throw new SchemaError('schema-locked', `another process has been migrating for more than ${waitMs} ms`, {
        waitMs,
      });
    await pause(100);
  }
}

async function appliedMigrations(client: Client): Promise<readonly Applied[]> {
  const { rows } = await client.query<Applied>('select number, name, sha256 from schema_migration order by number');
  return rows;
}

function assertSameHistory(done: readonly Applied[], migrations: readonly Migration[]): void {
  if (done.length > migrations.length) throw newer(done.length, migrations.length);
  for (const { number, name, sha256 } of done)
    if (!sha256.equals(migrations[number - 1].sha256))
      throw new SchemaError('schema-edited', `migration ${number} ${name} was edited after it had been applied`, {
        number,
      });
}

const newer = (version: number, known: number): SchemaError =>
  new SchemaError(
    'schema-newer',
    `the database is at migration ${version}, newer than this code (${known}): run the newer release`,
    { version, known },
  );

async function applyPatiently(client: Client, migration: Migration, tries: number, logger: Logger): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply(client, migration);
    } catch (err) {
      await client.query('rollback');
      const waitedForLock = (err as { code?: string }).code === '55P03'; // lock_not_available
      if (!waitedForLock || attempt >= tries)
        throw new SchemaError(
          'migration-failed',
          `migration ${migration.number} ${migration.name} failed: ${err instanceof Error ? err.message : String(err)}`,
          { number: migration.number, attempt },
        );
      logger.warn({ migration: migration.name, attempt }, 'a table is in use, the migration will be tried again');
      await pause(250 * attempt);
    }
  }
}

async function apply(client: Client, { number, name, sql, sha256 }: Migration): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = '3s'`); // never queue for long in front of readers
  await client.query(sql);
  await client.query('insert into schema_migration (number, name, sha256) values ($1, $2, $3)', [number, name, sha256]);
  await client.query('commit');
}
