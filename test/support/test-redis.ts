import { randomBytes } from 'node:crypto';
import { TEST_REDIS_SERVER } from './names';

/** True where a redis-server was on the PATH, and in CI, where its absence must show; tests for both backends ask. */
export const hasTestRedis = (): boolean => process.env[TEST_REDIS_SERVER] !== undefined || Boolean(process.env.CI);

/** One Redis database per Jest worker, so that a FLUSHDB stays at home; keys go under testPrefix(). */
export function testRedisUrl(): string {
  const server = process.env[TEST_REDIS_SERVER];
  if (server === undefined)
    throw new Error('this test needs redis-server on the PATH (Debian: apt-get install redis-server)');
  return `${server}/${Number(process.env.JEST_WORKER_ID ?? '0') % 16}`;
}

export const testPrefix = (): string => `{test-${randomBytes(6).toString('hex')}}`;
