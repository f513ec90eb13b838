import { type Cluster, Redis } from 'ioredis';
import { redisCluster } from '@donorlens/config';
import { DomainError } from '@donorlens/primitives';
import { clusterClient } from './cluster-client';
import { withQueueTimeout } from './queue-away-error';
import { PREFIX } from './queues';

const ANSWER_MS = 2_000;

/** This Redis may drop keys when it is full, and jobs are keys. */
export class EvictingRedisError extends DomainError {
  readonly code = 'evicting_redis';
}

/** Older than the version that BullMQ recommends and donorlens requires. */
export class OldRedisError extends DomainError {
  readonly code = 'old_redis';
}

/** REDIS_URL names a cluster's node as a single server, or a single server as a cluster. */
export class OtherRedisKindError extends DomainError {
  readonly code = 'other_redis_kind';
}

/** The fields of `INFO` that are checked. */
export interface RedisFacts {
  readonly version: string;
  readonly maxmemoryPolicy: string;
}

export const redisFacts = (info: string): RedisFacts => ({
  version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? '',
  maxmemoryPolicy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? '',
});

/** INFO and not CONFIG GET, because managed servers often forbid the latter. An unstated policy passes. */
export function checkFacts({ version, maxmemoryPolicy }: RedisFacts): void {
  if (maxmemoryPolicy !== '' && maxmemoryPolicy !== 'noeviction')
    throw new EvictingRedisError(
      `Redis has maxmemory-policy ${maxmemoryPolicy} and may drop jobs; the queue needs noeviction: redis-cli config set maxmemory-policy noeviction, and the same line in its configuration`,
    );
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (version !== '' && (major < 6 || (major === 6 && minor < 2)))
    throw new OldRedisError(`Redis ${version} is too old; the queue needs 6.2 or newer`);
}

/**
 * Checks once whether a Redis, or every cluster node that answers, can hold the queue.
 * @returns false if it does not answer: this costs time only, so it is no reason not to start
 * @throws EvictingRedisError, OldRedisError, OtherRedisKindError
 */
export async function checkRedis(url: string): Promise<boolean> {
  const cluster = redisCluster(url);
  const options = { lazyConnect: true, retryStrategy: () => null, connectTimeout: ANSWER_MS };
  const client = cluster ? clusterClient(cluster, options) : new Redis(url, options);
  let last: unknown; // of a cluster, connect() only says that no node is left
  client.on('error', (error: unknown) => (last = error));
  let infos: readonly string[];
  try {
    infos = await withQueueTimeout(
      ANSWER_MS,
      'Redis',
      client.connect().then(() => answers(client)),
    );
  } catch (error) {
    if (isSingleServer(last))
      throw new OtherRedisKindError(
        'REDIS_URL has redis+cluster://, but the server is not a Redis Cluster: use redis://',
      );
    if (isRedirection(error))
      throw new OtherRedisKindError(
        'REDIS_URL has one node of a Redis Cluster, but other nodes have keys of the queue: use redis+cluster:// and its nodes',
      );
    return false;
  } finally {
    client.disconnect();
  }
  for (const info of infos) checkFacts(redisFacts(info));
  return true;
}

/** INFO of the server, or of every cluster node that answers. */
async function answers(client: Redis | Cluster): Promise<readonly string[]> {
  await client.exists(`${PREFIX}:check`); // a node of a cluster that does not hold our slot answers MOVED
  if (client instanceof Redis) return [await client.info()];
  const infos = await Promise.allSettled(client.nodes().map((node) => node.info()));
  return infos.flatMap((info) => (info.status === 'fulfilled' ? [info.value] : []));
}

const isRedirection = (error: unknown): boolean => error instanceof Error && error.message.startsWith('MOVED ');

/** ioredis asks each node for its slots and keeps the last answer. */
function isSingleServer(error: unknown): boolean {
  const answer: unknown = error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : null;
  return answer instanceof Error && answer.message.includes('cluster support disabled');
}
