export { endWithUs } from './end-with-us';
export { freePort, isPortFree } from './free-port';
export { LocalServerError, type LocalServerFault } from './local-server-error';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres';
export { type PostgresBinaries, findPostgresBinaries } from './postgres-binaries';
export { type RedisBinary, type RedisOptions, findRedisServer, startRedis } from './redis';
export { type RunningServer } from './running-server';
export { waysToRun } from './run-as';
export { type ServerExit, ServerProcess, untilReady } from './server-process';
