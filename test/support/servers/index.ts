export { type TestDatabase, testDatabase } from './test-database';
export { hasTestRedis, testPrefix, testRedisUrl } from './test-redis';
export { OwnRedis } from './own-redis';
export { OwnRedisCluster } from './redis-cluster';
export { startPgbouncer } from './pgbouncer';
