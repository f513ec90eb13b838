import { once } from 'node:events';
import { type Config } from '@donorlens/config';
import { openRedis, QUEUE_SCHEMA } from '@donorlens/queues';
import { type Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** Counts the requests of each API key in windows of a minute. */
export interface RequestCounter {
  consume(keyId: string): Promise<RateLimiterRes>;
}

/** A counter that several processes share. */
export interface SharedCounter extends RequestCounter {
  close(): void;
}

/** The counter itself has no limit, because the limit differs by API key. */
export const COUNTER_OPTIONS = { points: Number.MAX_SAFE_INTEGER, duration: 60 } as const;
const KEY_PREFIX = 'donorlens-rate';
const READY_TIMEOUT_MS = 5_000;

/** Opens the counter in the server of the queue. @throws Error if that server does not answer */
export const openSharedCounter = (config: Config, pool: Pool): Promise<SharedCounter> =>
  config.queueBackend === 'redis' ? redisCounter(config) : postgresCounter(pool);

async function redisCounter(config: Config): Promise<SharedCounter> {
  const client = openRedis(config);
  client.on('error', () => undefined); // each failed call reports the error
  const close = (): void => client.disconnect();
  try {
    await client.connect();
    // connect() of a cluster client resolves before the client is ready.
    if (client.status !== 'ready') await once(client, 'ready', { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
  } catch (error) {
    close();
    throw error;
  }
  const limiter = new RateLimiterRedis({ ...COUNTER_OPTIONS, storeClient: client, keyPrefix: KEY_PREFIX });
  return { consume: (keyId) => limiter.consume(keyId), close };
}

/** An unlogged table, so that no request waits for the disk. A crash of Postgres empties it and resets the counts. */
const CREATE_TABLE = `create unlogged table if not exists ${QUEUE_SCHEMA}.request_rate
  (key varchar(255) primary key, points integer not null default 0, expire bigint)`;

/** unique_violation and duplicate_table: another replica created the table at the same time. */
const CREATED_MEANWHILE: readonly string[] = ['23505', '42P07'];

async function postgresCounter(pool: Pool): Promise<SharedCounter> {
  await pool.query(CREATE_TABLE).catch((error: { code?: string }) => {
    if (!CREATED_MEANWHILE.includes(error.code ?? '')) throw error;
  });
  const limiter = new RateLimiterPostgres({
    ...COUNTER_OPTIONS,
    ...{ storeClient: pool, storeType: 'pool', keyPrefix: KEY_PREFIX },
    ...{ schemaName: QUEUE_SCHEMA, tableName: 'request_rate', tableCreated: true, clearExpiredByTimeout: true },
  });
  return { consume: (keyId) => limiter.consume(keyId), close: () => undefined };
}
