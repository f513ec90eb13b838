import { randomBytes } from 'node:crypto';
import { TEST_REDIS_SERVER } from './environment-names';

/** True if redis-server is on the PATH, and in CI, where a missing one must fail. For tests of both queue backends. */
export const hasTestRedis = (): boolean => process.env[TEST_REDIS_SERVER] !== undefined || Boolean(process.env.CI);

/** URL of one Redis database per Jest worker, so that FLUSHDB affects no other worker; keys start with testPrefix(). */
export function testRedisUrl(): string {
  const server = process.env[TEST_REDIS_SERVER];
  if (server === undefined)
    throw new Error('this test needs redis-server on the PATH (Debian: apt-get install redis-server)');
  return `${server}/${Number(process.env.JEST_WORKER_ID ?? '0') % 16}`;
}

export const testPrefix = (): string => `{test-${randomBytes(6).toString('hex')}}`;
