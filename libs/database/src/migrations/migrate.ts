import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { isPooled, serverUrlOf } from '@donorlens/config';
import { type Logger } from '@donorlens/observability';
import { STANDBY_MESSAGE, durabilityWarnings, isStandby } from '../durability';
import { TIMEOUTS } from '../pool';
import { type Migration, readMigrations } from './migration-files';
import { SchemaError } from './schema-error';

/** Advisory lock of the runner: "donorlens" as a number, chosen once. */
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
  /** Maximum attempts of a migration that does not get a table lock within three seconds. */
  readonly tries?: number;
}

export interface MigrateReport {
  readonly version: number;
  readonly applied: readonly string[];
  /** Settings of the server that endanger stored data. */
  readonly warnings: readonly string[];
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly sha256: Buffer;
}

/**
 * Applies all pending migrations. Each is one transaction, which holds the advisory lock, so that this also works
 * through a transaction pooler, which may give each transaction another session. Any number of processes may call it at
 * once: each migration is applied once.
 * @throws SchemaError if the database is newer than the code, or if an applied file was edited
 */
export async function migrate(
  databaseUrl: string,
  logger: Logger,
  options: MigrateOptions = {},
): Promise<MigrateReport> {
  const migrations = options.migrations ?? readMigrations();
  const client = new Client({ connectionString: serverUrlOf(databaseUrl), connectionTimeoutMillis: 10_000 });
  client.on('error', (err) => logger.warn({ err }, 'connection of the migration runner was lost'));
  await client.connect();
  try {
    await assertServerIsRecent(client);
    if (await isStandby(client)) throw new SchemaError('standby', STANDBY_MESSAGE);
    const runner = new Runner(client, migrations, options, logger);
    await runner.locked(() => client.query(LEDGER));
    const applied: string[] = [];
    for (let next = await runner.next(); next !== null; next = await runner.next()) {
      applied.push(next.name);
      logger.info({ migration: `${next.number}_${next.name}` }, 'migration applied');
    }
    if (isPooled(databaseUrl)) await runner.locked(() => setRoleTimeouts(client));
    return { version: migrations.length, applied, warnings: await durabilityWarnings(client) };
  } finally {
    await client.end();
  }
}

let ownFiles: readonly Migration[] | undefined;
/** Reads the files once per process, because each readiness check needs their number. */
const ownMigrations = (): readonly Migration[] => (ownFiles ??= readMigrations());

/** Refuses a schema that this code was not written for. @throws SchemaError */
export async function assertSchemaIsCurrent(
  pool: Pick<Pool, 'query'>,
  migrations: readonly Migration[] = ownMigrations(),
): Promise<void> {
  const version = await schemaVersion(pool).catch((err: unknown) => {
    throw undeclaredPooler(err) ?? err;
  });
  if (version < migrations.length)
    throw new SchemaError(
      'schema-older',
      `the database is at migration ${version}, this code needs ${migrations.length}: run "bin/donorlens migrate"`,
      { version, needed: migrations.length },
    );
  if (version > migrations.length) throw newer(version, migrations.length);
}

/** PgBouncer refuses timeouts in the startup packet, unless it is configured to ignore them. */
function undeclaredPooler(err: unknown): SchemaError | null {
  if (!(err instanceof Error) || !err.message.includes('unsupported startup parameter')) return null;
  return new SchemaError(
    'pooler',
    'DATABASE_URL leads to PgBouncer: add ?pgbouncer=true to it and run bin/donorlens migrate',
    {},
  );
}

/** Number of the newest migration in the database, 0 for an empty one. */
export async function schemaVersion(pool: Pick<Pool, 'query'>): Promise<number> {
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

async function appliedMigrations(client: Client): Promise<readonly Applied[]> {
  const { rows } = await client.query<Applied>('select number, name, sha256 from schema_migration order by number');
  return rows;
}

function assertSameHistory(done: readonly Applied[], migrations: readonly Migration[]): void {
  if (done.length > migrations.length) throw newer(done.length, migrations.length);
  for (const { number, name, sha256 } of done) {
    const { sha256: present, earlier = [] } = migrations[number - 1];
    if (![present, ...earlier].some((form) => form.equals(sha256)))
      throw new SchemaError('schema-edited', `migration ${number} ${name} was edited after it had been applied`, {
        number,
      });
  }
}

const newer = (version: number, known: number): SchemaError =>
  new SchemaError(
    'schema-newer',
    `the database is at migration ${version}, newer than this code (${known}): run the newer release, or restore a backup from before the upgrade`,
    { version, known },
  );

class Runner {
  private readonly lockWaitMs: number;
  private readonly tries: number;

  constructor(
    private readonly client: Client,
    private readonly migrations: readonly Migration[],
    { lockWaitMs = 120_000, tries = 10 }: MigrateOptions,
    private readonly logger: Logger,
  ) {
    this.lockWaitMs = lockWaitMs;
    this.tries = tries;
  }

  /** Applies the first pending migration; null if there is none. Retries if a table is in use. */
  async next(): Promise<Migration | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.locked(() => this.applyFirstPending(attempt));
      } catch (err) {
        if (!(err instanceof BusyTable) || attempt >= this.tries) throw err;
        this.logger.warn({ migration: err.migration, attempt }, 'a table is in use, the migration will be retried');
        await pause(250 * attempt);
      }
    }
  }

  /** Runs fn in a transaction that holds the lock. Polls for the lock outside of any transaction. */
  async locked<T>(fn: () => Promise<T>): Promise<T> {
    const { client, lockWaitMs } = this;
    const end = performance.now() + lockWaitMs;
    while (!(await this.begin())) {
      if (performance.now() >= end)
        throw new SchemaError('schema-locked', `another process has been migrating for more than ${lockWaitMs} ms`, {
          waitMs: lockWaitMs,
        });
      await pause(100);
    }
    try {
      const result = await fn();
      await client.query('commit');
      return result;
    } catch (err) {
      await client.query('rollback');
      throw err;
    }
  }

  private async begin(): Promise<boolean> {
    await this.client.query('begin; set local statement_timeout = 0');
    const { rows } = await this.client.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [LOCK]);
    if (!rows[0].held) await this.client.query('rollback');
    return rows[0].held;
  }

  private async applyFirstPending(attempt: number): Promise<Migration | null> {
    const done = await appliedMigrations(this.client);
    assertSameHistory(done, this.migrations);
    const pending = this.migrations.at(done.length);
    if (pending === undefined) return null;
    await apply(this.client, pending).catch((err: unknown) => {
      throw failureOf(err, pending, attempt);
    });
    return pending;
  }
}

class BusyTable extends SchemaError {
  constructor(
    readonly migration: string,
    message: string,
    attempt: number,
  ) {
    super('migration-failed', message, { migration, attempt });
  }
}

function failureOf(err: unknown, { number, name }: Migration, attempt: number): SchemaError {
  const message = `migration ${number} ${name} failed: ${err instanceof Error ? err.message : String(err)}`;
  const waitedForLock = (err as { code?: string }).code === '55P03'; // lock_not_available
  return waitedForLock
    ? new BusyTable(name, message, attempt)
    : new SchemaError('migration-failed', message, { number, attempt });
}

async function apply(client: Client, { number, name, sql, sha256 }: Migration): Promise<void> {
  await client.query(`set local lock_timeout = '3s'`); // readers wait for a waiting lock
  await client.query(sql);
  await client.query('insert into schema_migration (number, name, sha256) values ($1, $2, $3)', [number, name, sha256]);
}

/** Names of settings that the role or the database has. */
const ROLE_SETTINGS = `
  select current_database() as database,
         array(select split_part(setting, '=', 1)
               from pg_db_role_setting s, unnest(s.setconfig) as setting
               where s.setrole in (0, current_user::regrole) and s.setdatabase in (0, d.oid)) as known
  from pg_database d where d.datname = current_database()`;

/**
 * With a transaction pooler, connections cannot set timeouts when they open. So they become settings of the role in
 * this database, which every role may set for itself. Existing settings are kept.
 */
async function setRoleTimeouts(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string; known: readonly string[] }>(ROLE_SETTINGS);
  const [{ database, known }] = rows;
  for (const [name, ms] of Object.entries(TIMEOUTS).filter(([timeout]) => !known.includes(timeout)))
    await client.query(`alter role current_user in database ${client.escapeIdentifier(database)} set ${name} = ${ms}`);
}
