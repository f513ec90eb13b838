export { type TestDatabase, testDatabase } from './test-database';
export { hasTestRedis, testPrefix, testRedisUrl } from './test-redis';
