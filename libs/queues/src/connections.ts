import {
  type BackendFactory,
  type ConnectionOptions,
  PostgresConnection,
  PostgresQueueBackend,
  type QueueOptions,
  assertSchemaCompatibility,
  runMigrations,
  setDefaultBackendFactory,
} from 'bullmq';
import { type Cluster, Redis } from 'ioredis';
import { Client } from 'pg';
import { type Config, ConfigError, QUEUE_NEEDS_SESSIONS, isPooled, redisCluster, serverUrlOf } from '@donorlens/config';
import { clusterClient, clusterConnection, followCluster } from './cluster-client';
import { JOB_OPTIONS, PREFIX } from './queues';

/** Name of the schema that holds BullMQ's tables in our database. */
export const QUEUE_SCHEMA = 'bullmq';

/**
 * How this process reaches the queue. A producer's call fails at once if the server is away.
 * Also selects the backend for all of BullMQ in this process, which must happen before the first Queue exists.
 */
export function queueOptions(config: Config): QueueOptions {
  setDefaultBackendFactory(config.queueBackend === 'postgres' ? recoveringPostgresBackend : undefined);
  followCluster(config.queueBackend === 'redis' && config.redisUrl ? redisCluster(config.redisUrl) : null);
  return {
    connection: config.queueBackend === 'postgres' ? postgresConnection(config) : redisConnection(config),
    prefix: PREFIX,
    defaultJobOptions: JOB_OPTIONS,
    skipVersionCheck: true, // checkRedis does it once; a check that fails would break a Queue for good
    streams: { events: { maxLen: 1000 } }, // nothing reads them
  };
}

const reconnectMs = (times: number): number => Math.min(times * 100, 1_000);

const REDIS_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 2_000,
  commandTimeout: 1_500,
  socketTimeout: 3_000, // no answer for so long: the connection is dead, and the system reports it much later
  keepAlive: 10_000,
  retryStrategy: reconnectMs,
};

function redisUrlOf({ redisUrl }: Config): string {
  if (!redisUrl) throw new ConfigError(['REDIS_URL is needed where QUEUE_BACKEND is redis']);
  return redisUrl;
}

function redisConnection(config: Config): ConnectionOptions {
  const url = redisUrlOf(config);
  const cluster = redisCluster(url);
  return cluster ? clusterConnection(cluster, REDIS_OPTIONS) : { ...REDIS_OPTIONS, url };
}

/**
 * A client of the queue's Redis for other keys than the queue's. It connects when connect() is called; a call fails at
 * once if the server is away.
 */
export function openRedis(config: Config): Redis | Cluster {
  const url = redisUrlOf(config);
  const cluster = redisCluster(url);
  const options = { ...REDIS_OPTIONS, lazyConnect: true };
  return cluster ? clusterClient(cluster, options) : new Redis(url, options);
}

/** BullMQ's types know Redis connections only; its Postgres backend takes a pool's configuration instead. */
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
 * The same server for a consumer, which waits for a server that is away instead of failing. The time limits only end
 * a connection that went dead silently, and the calls on it; a blocking read takes 5 s at most.
 * @param isCut - true ends the reconnecting: BullMQ reopens the connection of a closed worker if its server is away
 */
export function reconnecting(connection: ConnectionOptions, isCut: () => boolean): ConnectionOptions {
  const shared: object = connection;
  if ('connectionString' in shared) return { ...shared, max: 4, query_timeout: 15_000, connectionTimeoutMillis: 5_000 };
  return {
    ...shared,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    commandTimeout: 15_000,
    socketTimeout: 10_000, // the shortest limit, so that a call continues on the next connection
    retryStrategy: (times: number) => (isCut() ? null : reconnectMs(times)),
  };
}

type PostgresOptions = ConstructorParameters<typeof PostgresConnection>[0];

/** BullMQ remembers a failed schema check forever. This one checks again, so that a database may come back. */
class RecoveringConnection extends PostgresConnection {
  private checked: Promise<void> | undefined;

  override waitUntilReady(): Promise<void> {
    this.checked ??= this.check().catch((error: unknown) => {
      this.checked = undefined;
      throw error;
    });
    return this.checked;
  }

  private async check(): Promise<void> {
    await assertSchemaCompatibility(this.pool, this.schema);
    setImmediate(() => this.emit('ready'));
  }
}

/**
 * BullMQ's Postgres backend on a connection that recovers. Names the listening connection as BullMQ's own factory does.
 */
const recoveringPostgresBackend: BackendFactory<PostgresQueueBackend, PostgresOptions> = (name, opts, kind = {}) =>
  new PostgresQueueBackend(
    new RecoveringConnection(opts.connection),
    name,
    opts,
    true,
    kind.withBlockingConnection ? name : undefined,
  );

/**
 * Brings BullMQ's own tables up to date if the queue is on Postgres. Does nothing behind a transaction pooler, where
 * no queue can be. One transaction under BullMQ's advisory lock, so several processes may start at once.
 */
export async function migrateQueue(config: Pick<Config, 'queueBackend' | 'databaseUrl'>): Promise<void> {
  if (config.queueBackend !== 'postgres' || !config.databaseUrl || isPooled(config.databaseUrl)) return;
  const client = new Client({ connectionString: serverUrlOf(config.databaseUrl), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}
