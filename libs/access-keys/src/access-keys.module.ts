import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { ApiKeyEntity } from './api-key.entity';
import { dataSourceOptions } from './data-source';
import { KeyRing } from './key-ring';
import { KeyRepository } from './key.repository';

/** API keys. Needs DatabaseModule, which refuses a missing DATABASE_URL, ObservabilityModule and CONFIG. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG, PG_POOL], // the pool waits for a database that is away
      useFactory: ({ databaseUrl = '' }: Config) => ({
        ...dataSourceOptions(databaseUrl),
        retryAttempts: 3,
        retryDelay: 500,
      }),
    }),
    TypeOrmModule.forFeature([ApiKeyEntity]),
  ],
  providers: [KeyRepository, KeyRing],
  exports: [KeyRepository, KeyRing],
})
export class AccessKeysModule {}
