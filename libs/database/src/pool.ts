import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import { isPooled, serverUrlOf } from '@donorlens/config';
import { type Logger } from '@donorlens/observability';
import { DURABLE_COMMIT } from './durability';

/** Server-side time limits of our connections in milliseconds, by their names in Postgres. */
export const TIMEOUTS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
} as const;

export interface PoolOptions {
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly name?: string;
  readonly statementTimeoutMs?: number;
  /** Checks a new connection before it is used. */
  readonly verify?: PoolConfig['verify'];
}

/**
 * A pool with limits for all waits: connecting 5 s, a statement 30 s, a lock 10 s, an idle transaction 60 s. With a
 * transaction pooler, the limits are settings of the role, which migrate() makes.
 */
export function createPool(databaseUrl: string, logger: Logger, options: PoolOptions = {}): Pool {
  const pool = new Pool({
    connectionString: serverUrlOf(databaseUrl),
    application_name: options.name ?? 'donorlens',
    max: options.max ?? 10,
    verify: options.verify,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000, // a dead server is detected in 20 s; the system takes two hours by default
    query_timeout: answerTimeoutMs(options.statementTimeoutMs ?? 30_000),
    ...(isPooled(databaseUrl) ? { Client: UnpreparedClient } : timeouts(options)),
  });
  // Without a listener, an idle connection that the server closes would end the process.
  pool.on('error', logOnce(logger));
  return pool;
}

const timeouts = ({ statementTimeoutMs }: PoolOptions) => ({
  ...TIMEOUTS,
  ...(statementTimeoutMs !== undefined && { statement_timeout: statementTimeoutMs }),
});

const QUIET_MS = 10_000;

/** A server that stops closes all its connections: one log entry per 10 s reports it. */
function logOnce(logger: Logger): (err: Error) => void {
  let quietUntil = -Infinity;
  return (err) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    logger.warn({ err }, 'an idle database connection was lost');
  };
}

/**
 * How long this process waits for a statement's answer: 2 s longer than the server may take, because a network that
 * went dead silently sends none. COPY has its own limit.
 */
const answerTimeoutMs = (statementTimeoutMs: number): number => statementTimeoutMs && statementTimeoutMs + 2_000;

/** pg's error after query_timeout. The connection cannot be used again: the answer may still arrive. */
const isAnswerTimeout = (err: unknown): err is Error => err instanceof Error && err.message === 'Query read timeout';

/** pg reads it before each statement; its types omit it. */
interface Waiting {
  readonly connectionParameters: { query_timeout: number | false };
}

export interface TransactionOptions {
  /** 0 for no limit: a COPY with a slow client counts the client's time too. */
  readonly statementTimeoutMs?: number;
  /** True if only a COPY takes long: other statements keep the usual answer timeout. */
  readonly onlyCopyIsSlow?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'repeatable read read only';
}

/**
 * Runs fn in one transaction: returns its result after COMMIT, throws its error after ROLLBACK. The commit waits for
 * the disk even if the server's default differs, unless fn turns synchronous_commit off (decision 4). A connection that
 * fails to roll back is discarded, not returned to the pool.
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
  if (statementTimeoutMs !== undefined && !onlyCopyIsSlow) waiting.query_timeout = answerTimeoutMs(statementTimeoutMs);
  try {
    await client.query(`begin${isolation === undefined ? '' : ` isolation level ${isolation}`}; ${DURABLE_COMMIT}`);
    if (statementTimeoutMs !== undefined)
      await client.query(`set local statement_timeout = ${Math.trunc(statementTimeoutMs)}`);
    const result = await fn(client);
    await client.query('commit');
    return result;
  } catch (err) {
    if (isAnswerTimeout(err)) broken = err;
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

/**
 * A connection through a transaction pooler. Prepared statements lose their names, since the next transaction may run
 * in another session that does not know them; Postgres plans them each time.
 */
export class UnpreparedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (first: unknown, ...rest: readonly unknown[]) => unknown;
    // An own function, because no single signature covers the overloads of the one that it replaces.
    this.query = ((first: unknown, ...rest: readonly unknown[]) => query(unnamed(first), ...rest)) as Client['query'];
  }
}

const unnamed = (first: unknown): unknown => (isNamed(first) ? { ...first, name: undefined } : first);

/** Streams and cursors have their own submit() and no name. */
const isNamed = (first: unknown): first is object =>
  typeof first === 'object' && first !== null && 'name' in first && !('submit' in first);

/**
 * Classes of SQLSTATE that are no fault of the statement: connection (08), transaction state as an idle timeout or a
 * standby leave it (25), authorization (28), rollback by a deadlock (40), resources (53), locks (55), operator (57),
 * the system's files (58).
 */
const CLASSES: ReadonlySet<string> = new Set(['08', '25', '28', '40', '53', '55', '57', '58']);
const NETWORK: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Messages of the driver about a connection, which have no code. */
const DRIVER_MESSAGE =
  /connection (terminated|error|was lost)|connection timeout|timeout exceeded|read timeout|not queryable/i;

/** True for errors that may pass: lost connection, deadlock, lock or statement timeout, full disk, shutdown. */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return DRIVER_MESSAGE.test(error.message);
  return NETWORK.has(code) || (code.length === 5 && CLASSES.has(code.slice(0, 2)));
}
