export { type ClientConfig, readClientConfig } from './client-config';
export {
  type Config,
  ConfigError,
  type GeocoderConfig,
  QUEUE_NEEDS_SESSIONS,
  readConfig,
  removedSettings,
} from './config';
export { CONFIG, ConfigModule } from './config.module';
export { isHttpUrl, isPooled, serverUrlOf, type RedisCluster, redisCluster, shownNodes } from './server-urls';
