export { type TestDatabase, testDatabase } from './test-database';
export { hasTestRedis, testPrefix, testRedisUrl } from './test-redis';
export { OwnRedis } from './own-redis';
export { OwnRedisCluster } from '../../scripts/proof/installation/redis-cluster';
export { startPgbouncer } from '../../scripts/proof/installation/pgbouncer';
export { until } from './until';
