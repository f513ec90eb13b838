export { type ClientConfig, readClientConfig } from './client-config';
export { type Config, ConfigError, type GeocoderConfig, readConfig } from './config';
export { CONFIG, ConfigModule } from './config.module';
