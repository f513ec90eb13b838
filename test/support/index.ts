export { type TestDatabase, testDatabase } from './test-database';
export { hasTestRedis, testPrefix, testRedisUrl } from './test-redis';
export { OwnRedis } from './own-redis';
export { OwnRedisCluster } from './own-redis-cluster';
export { until } from './until';
