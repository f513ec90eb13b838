import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config, ConfigError } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ApiKeyEntity } from './api-key.entity';
import { dataSourceOptions } from './data-source';
import { KeyCopy } from './key-copy';
import { KeyRing } from './key-ring';
import { KeyRepository } from './key.repository';

/** API keys. Needs DatabaseModule, which refuses a missing DATABASE_URL, ObservabilityModule and CONFIG. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      useFactory: ({ databaseUrl = '' }: Config) => ({
        ...dataSourceOptions(databaseUrl),
        manualInitialization: true, // KeyRing connects, because the process may start while the database is away
      }),
    }),
    TypeOrmModule.forFeature([ApiKeyEntity]),
  ],
  providers: [
    KeyRepository,
    KeyRing,
    {
      provide: KeyCopy,
      inject: [CONFIG, LOGGER],
      useFactory: ({ home, databaseUrl = '', addressSecret: secret }: Config, logger: Logger) => {
        if (secret === undefined) throw new ConfigError(['ADDRESS_SECRET must be set']);
        const { host, pathname } = new URL(databaseUrl);
        return new KeyCopy(home, { database: host + pathname, secret }, logger);
      },
    },
  ],
  exports: [KeyRepository, KeyRing],
})
export class AccessKeysModule {}
