import { type ConnectionOptions, RedisConnection, createIORedisClient } from 'bullmq';
import { Cluster, type RedisOptions } from 'ioredis';
import { type RedisCluster } from '@donorlens/config';

/** How its nodes are talked to, and how long is waited between two attempts to find any of them; null ends it. */
export interface ClusterManners extends Omit<RedisOptions, 'retryStrategy'> {
  readonly retryStrategy: (times: number) => number | null;
}

interface ClusterConnection extends ClusterManners {
  readonly cluster: RedisCluster;
}

/** For a node's list of slots: a busy machine may take seconds, and a client without the list has nobody to ask. */
const REFRESH_MS = 5_000;

/**
 * A client that follows the cluster's redirections. Names of nodes are looked up at each connecting, so that TLS sees
 * the name and an address may change.
 */
export function clusterClient(
  { nodes, username, password, tls }: RedisCluster,
  { enableOfflineQueue, retryStrategy, ...node }: ClusterManners,
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
 * Has all of BullMQ in this process reach the cluster; undefined: a single server. Its options travel where those of a
 * connection do, so that each queue and each worker opens connections of its own, as with a single server.
 */
export function followCluster(cluster: RedisCluster | null): void {
  RedisConnection.clientFactory = cluster ? openCluster : undefined;
}

/** BullMQ types connections as those of one server; it hands them on as they are. */
export const clusterConnection = (cluster: RedisCluster, manners: ClusterManners): ConnectionOptions => ({
  ...manners,
  cluster,
});

/** What BullMQ adds of its own, host and port, is for a single server. */
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
