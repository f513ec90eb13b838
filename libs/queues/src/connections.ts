import { type ConnectionOptions, type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import { type Config, ConfigError, QUEUE_NEEDS_SESSIONS, isPooled, redisCluster, serverUrlOf } from '@donorlens/config';
import { clusterConnection, followCluster } from './cluster-client';
import { healingPostgresBackend } from './postgres-backend';
import { JOB_OPTIONS, PREFIX } from './queues';

/** Name of the schema that holds BullMQ's tables in our database. */
export const QUEUE_SCHEMA = 'bullmq';

/**
 * How this process reaches the queue. Producers are impatient: a call fails at once where the server is away.
 * Also points all of BullMQ in this process at the chosen backend, which must happen before the first Queue exists.
 */
export function queueOptions(config: Config): QueueOptions {
  setDefaultBackendFactory(config.queueBackend === 'postgres' ? healingPostgresBackend : undefined);
  followCluster(config.queueBackend === 'redis' && config.redisUrl ? redisCluster(config.redisUrl) : null);
  return {
    connection: config.queueBackend === 'postgres' ? postgresConnection(config) : redisConnection(config),
    prefix: PREFIX,
    defaultJobOptions: JOB_OPTIONS,
    skipVersionCheck: true, // asked once by checkRedis; a failed question would break a Queue for good
    streams: { events: { maxLen: 1000 } }, // nothing reads them
  };
}

const reconnectMs = (times: number): number => Math.min(times * 100, 1_000);

function redisConnection(config: Config): ConnectionOptions {
  if (!config.redisUrl) throw new ConfigError(['REDIS_URL is needed where QUEUE_BACKEND is redis']);
  const cluster = redisCluster(config.redisUrl);
  const manners = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 1_500,
    socketTimeout: 3_000, // no answer for so long: the connection is dead, and nobody else says so
    keepAlive: 10_000,
    retryStrategy: reconnectMs,
  };
  return cluster ? clusterConnection(cluster, manners) : { ...manners, url: config.redisUrl };
}

/** BullMQ types connections as Redis ones; its Postgres backend takes a pool's configuration in the same place. */
function postgresConnection(config: Config): ConnectionOptions {
  if (!config.databaseUrl) throw new ConfigError(['DATABASE_URL is needed where the queue is on Postgres']);
  if (isPooled(config.databaseUrl)) throw new ConfigError([QUEUE_NEEDS_SESSIONS]);
  const pool: object = {
    connectionString: serverUrlOf(config.databaseUrl),
    schema: QUEUE_SCHEMA,
    max: 2,
    keepAlive: true,
    connectionTimeoutMillis: 1_500,
    query_timeout: 1_900, // below the producer's own 2 s
    application_name: 'donorlens queue',
  };
  return pool;
}

/**
 * The same server for a consumer, which is patient: it waits for a server that is away instead of failing.
 * The time limits only end a connection that went dead silently, and calls on it; a blocking read takes 5 s at most.
 * @param isCut  true ends the waiting: BullMQ opens the connection of a closed worker once more when its server is away
 */
export function patient(connection: ConnectionOptions, isCut: () => boolean): ConnectionOptions {
  const shared: object = connection;
  if ('connectionString' in shared) return { ...shared, max: 4, query_timeout: 15_000, connectionTimeoutMillis: 5_000 };
  return {
    ...shared,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    commandTimeout: 15_000,
    socketTimeout: 10_000, // first, so that a call goes on with the next connection
    retryStrategy: (times: number) => (isCut() ? null : reconnectMs(times)),
  };
}
