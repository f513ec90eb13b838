import { Redis } from 'ioredis';
import { DomainError } from '@donorlens/primitives';
import { within } from './deadline';

const ANSWER_MS = 2_000;

/** This Redis may drop keys when it is full, and jobs are keys. */
export class EvictingRedisError extends DomainError {
  readonly code = 'evicting_redis';
}

/** Older than what BullMQ supports. */
export class OldRedisError extends DomainError {
  readonly code = 'old_redis';
}

/** What `INFO` says about a Redis, as far as it matters here. */
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
    throw new EvictingRedisError(`Redis has maxmemory-policy ${maxmemoryPolicy}; the queue needs noeviction`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (version !== '' && (major < 6 || (major === 6 && minor < 2)))
    throw new OldRedisError(`Redis ${version} is too old; the queue needs 6.2 or newer`);
}

/**
 * Asks a Redis once whether it can hold the queue.
 * @returns false where it does not answer: that costs time only, so it is no reason not to start
 * @throws EvictingRedisError, OldRedisError
 */
export async function checkRedis(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: ANSWER_MS });
  client.on('error', () => undefined); // told by connect()
  let info: string;
  try {
    info = await within(
      ANSWER_MS,
      'Redis',
      client.connect().then(() => client.info()),
    );
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
  checkFacts(redisFacts(info));
  return true;
}
