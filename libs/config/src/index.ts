export { type ClientConfig, readClientConfig } from './client-config';
export { type Config, ConfigError, readConfig } from './config';
export { CONFIG, ConfigModule } from './config.module';
