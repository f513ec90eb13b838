import { Pool, type PoolClient } from 'pg';
import { type Logger } from '@donorlens/observability';

export interface PoolOptions {
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly name?: string;
  readonly statementTimeoutMs?: number;
}

/** A pool whose waits all have an end: connecting 5 s, a statement 30 s, a lock 10 s, an idle transaction 60 s. */
export function createPool(databaseUrl: string, logger: Logger, options: PoolOptions = {}): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: options.name ?? 'donorlens',
    max: options.max ?? 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', (err) => logger.warn({ err }, 'an idle database connection was lost'));
  return pool;
}

export interface TransactionOptions {
  /** 0 for no limit: COPY in step with a slow client counts its waiting too. */
  readonly statementTimeoutMs?: number;
  readonly isolation?: 'read committed' | 'repeatable read' | 'repeatable read read only';
}

/**
 * Runs fn in one transaction: its result after COMMIT, its error after ROLLBACK. A connection that fails while
 * rolling back is thrown away, not returned to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  fn: (client: PoolClient) => Promise<T>,
  { statementTimeoutMs, isolation }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const lost = (err: Error): void => {
    broken = err;
  };
  client.on('error', lost); // a listener of its own: the pool's covers idle connections only
  try {
    await client.query(isolation === undefined ? 'begin' : `begin isolation level ${isolation}`);
    if (statementTimeoutMs !== undefined)
      await client.query(`set local statement_timeout = ${Math.trunc(statementTimeoutMs)}`);
    const result = await fn(client);
    await client.query('commit');
    return result;
  } catch (err) {
    await client.query('rollback').catch((failure: Error) => {
      broken ??= failure;
    });
    throw err;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}
