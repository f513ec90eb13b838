import { type ConnectionOptions, RedisConnection, createIORedisClient } from 'bullmq';
import { Cluster, type RedisOptions } from 'ioredis';
import { type RedisCluster } from '@donorlens/config';

/** Options of the nodes' connections; retryStrategy gives the wait between attempts to find a node, null ends them. */
export interface ClusterOptions extends Omit<RedisOptions, 'retryStrategy'> {
  readonly retryStrategy: (times: number) => number | null;
}

interface ClusterConnection extends ClusterOptions {
  readonly cluster: RedisCluster;
}

/** Time limit for a node's list of slots. A busy machine may take seconds, and a client needs the list to do anything. */
const REFRESH_MS = 5_000;

/**
 * A client that follows the cluster's redirections. Node names are resolved at each connection attempt, so that TLS
 * sees the name and an address may change.
 */
export function clusterClient(
  { nodes, username, password, tls }: RedisCluster,
  { enableOfflineQueue, retryStrategy, ...node }: ClusterOptions,
): Cluster {
  return new Cluster([...nodes], {
    ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
    lazyConnect: node.lazyConnect,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: REFRESH_MS,
    dnsLookup: (address, done) => done(null, address),
    redisOptions: { ...node, username, password, ...(tls && { tls: {} }) },
  });
}

/**
 * Makes all of BullMQ in this process connect to the cluster, or to a single server for null. The options travel with
 * those of a connection, so that each queue and each worker opens its own connections, as with a single server.
 */
export function followCluster(cluster: RedisCluster | null): void {
  RedisConnection.clientFactory = cluster ? openCluster : undefined;
}

/** BullMQ's types know a single server's connections only; it passes these on unchanged. */
export const clusterConnection = (cluster: RedisCluster, options: ClusterOptions): ConnectionOptions => ({
  ...options,
  cluster,
});

/** BullMQ adds a host and a port, which are for a single server and are dropped here. */
const openCluster: NonNullable<typeof RedisConnection.clientFactory> = (options) => {
  const {
    cluster,
    enableOfflineQueue,
    maxRetriesPerRequest,
    connectTimeout,
    commandTimeout,
    socketTimeout,
    keepAlive,
    retryStrategy,
  } = options as unknown as ClusterConnection; // what clusterConnection() made
  return createIORedisClient(
    clusterClient(cluster, {
      ...{ enableOfflineQueue, maxRetriesPerRequest, connectTimeout, commandTimeout, socketTimeout },
      ...{ keepAlive, retryStrategy },
    }),
  );
};
