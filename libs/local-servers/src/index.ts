export { LocalServerError, type LocalServerFault } from './local-server-error';
export {
  endWithUs,
  freePort,
  isPortFree,
  type RunningServer,
  type ServerExit,
  ServerProcess,
  untilReady,
} from './server-process';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres';
export {
  type PostgresBinaries,
  describePostgres,
  findPostgresBinaries,
  majorOfData,
  postgresFor,
} from './postgres-binaries';
export { finishReplacement, passwordFileOf, replaceDataDirectory } from './postgres-cluster';
export { type RedisBinary, type RedisOptions, findRedisServer, startRedis } from './redis';
export { waysToRun } from './run-as';
