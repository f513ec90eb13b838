import { type Pool } from 'pg';

/**
 * Makes the commit of the current transaction wait for the disk if the server's default is `synchronous_commit = off`.
 * Stronger settings of the server, such as `remote_apply`, stay.
 */
export const DURABLE_COMMIT = `select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

/** The text of a warning by the server's setting that causes it. */
const WARNINGS = {
  fsync: 'fsync=off: a power failure can destroy the database; set it to on',
  full_page_writes: 'full_page_writes=off: a power failure can damage tables; set it to on',
} as const;

/** Settings with which a crash of the server loses or damages stored data, one sentence for each. */
export async function durabilityWarnings(database: Pick<Pool, 'query'>): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: keyof typeof WARNINGS }>(
    `select name from unnest($1::text[]) as name where current_setting(name) = 'off'`,
    [Object.keys(WARNINGS)],
  );
  return rows.map(({ name }) => WARNINGS[name]);
}

/** True for a replica, which accepts no changes. */
export async function isStandby(database: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  return rows[0].standby;
}

export const STANDBY_MESSAGE =
  'DATABASE_URL names a standby, which accepts no changes: name the primary, or promote the standby';
