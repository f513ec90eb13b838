import { Pool, type PoolClient } from 'pg';
import { isPooled, serverUrlOf } from '@donorlens/config';
import { type Logger } from '@donorlens/observability';
import { NamelessClient } from './nameless-client';
import { TIMEOUTS } from './timeouts';

export interface PoolOptions {
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly name?: string;
  readonly statementTimeoutMs?: number;
}

/**
 * A pool whose waits all have an end: connecting 5 s, a statement 30 s, a lock 10 s, an idle transaction 60 s. Behind a
 * pooler of transactions these are the role's own, as migrate() leaves them.
 */
export function createPool(databaseUrl: string, logger: Logger, options: PoolOptions = {}): Pool {
  const pool = new Pool({
    connectionString: serverUrlOf(databaseUrl),
    application_name: options.name ?? 'donorlens',
    max: options.max ?? 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000, // a server that is gone is noticed in 20 s; the system alone takes two hours
    query_timeout: patienceMs(options.statementTimeoutMs ?? 30_000),
    ...(isPooled(databaseUrl) ? { Client: NamelessClient } : timeouts(options)),
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', oneOfMany(logger));
  return pool;
}

const timeouts = ({ statementTimeoutMs }: PoolOptions) => ({
  ...TIMEOUTS,
  ...(statementTimeoutMs !== undefined && { statement_timeout: statementTimeoutMs }),
});

const QUIET_MS = 10_000;

/** A server that ends takes all its connections along: one line tells it. */
function oneOfMany(logger: Logger): (err: Error) => void {
  let quietUntil = -Infinity;
  return (err) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    logger.warn({ err }, 'an idle database connection was lost');
  };
}

/**
 * How long this process waits for a statement's answer: 2 s longer than the server may take, for a network that went dead
 * silently sends none. COPY, which is in step with others, waits by itself.
 */
const patienceMs = (statementTimeoutMs: number): number => statementTimeoutMs && statementTimeoutMs + 2_000;

/** What pg says where its patience ended. The connection is of no use then: the answer may still come. */
const isSilence = (err: unknown): err is Error => err instanceof Error && err.message === 'Query read timeout';

/** Read by pg before each statement; its types leave it out. */
interface Waiting {
  readonly connectionParameters: { query_timeout: number | false };
}

export interface TransactionOptions {
  /** 0 for no limit: COPY in step with a slow client counts its waiting too. */
  readonly statementTimeoutMs?: number;
  /** True where only a COPY takes longer than others: what else is sent is answered as soon as usual. */
  readonly onlyCopyIsSlow?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'repeatable read read only';
}

/**
 * Runs fn in one transaction: its result after COMMIT, its error after ROLLBACK. A connection that fails while
 * rolling back is thrown away, not returned to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  fn: (client: PoolClient) => Promise<T>,
  { statementTimeoutMs, onlyCopyIsSlow, isolation }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const lost = (err: Error): void => {
    broken = err;
  };
  client.on('error', lost); // a listener of its own: the pool's covers idle connections only
  const { connectionParameters: waiting } = client as PoolClient & Waiting;
  const usual = waiting.query_timeout;
  if (statementTimeoutMs !== undefined && !onlyCopyIsSlow) waiting.query_timeout = patienceMs(statementTimeoutMs);
  try {
    await client.query(isolation === undefined ? 'begin' : `begin isolation level ${isolation}`);
    if (statementTimeoutMs !== undefined)
      await client.query(`set local statement_timeout = ${Math.trunc(statementTimeoutMs)}`);
    const result = await fn(client);
    await client.query('commit');
    return result;
  } catch (err) {
    if (isSilence(err)) broken = err;
    else
      await client.query('rollback').catch((failure: Error) => {
        broken ??= failure;
      });
    throw err;
  } finally {
    waiting.query_timeout = usual;
    client.off('error', lost);
    client.release(broken);
  }
}
