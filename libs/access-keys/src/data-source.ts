import { type DataSourceOptions } from 'typeorm';
import { isPooled, serverUrlOf } from '@donorlens/config';
import { ApiKeyEntity } from './api-key.entity';

/** TypeORM serves API keys only. The schema belongs to the numbered SQL files, so TypeORM never changes it. */
export const dataSourceOptions = (databaseUrl: string): DataSourceOptions => ({
  type: 'postgres',
  url: serverUrlOf(databaseUrl),
  entities: [ApiKeyEntity],
  synchronize: false,
  migrationsRun: false,
  applicationName: 'donorlens typeorm',
  connectTimeoutMS: 5_000,
  installExtensions: false,
  extra: {
    max: 3,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 12_000, // a network that went dead silently sends no error
    // A transaction pooler accepts none of these at connecting; the role's settings apply there.
    ...(!isPooled(databaseUrl) && { statement_timeout: 10_000, idle_in_transaction_session_timeout: 60_000 }),
  },
});
