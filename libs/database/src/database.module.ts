import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { assertSchemaIsCurrent } from './migrations/migrate';
import { type PoolOptions, createPool } from './pool';

/** Injection token of the process's pg.Pool, which all repositories use except that of API keys. */
export const PG_POOL = Symbol('pg-pool');

@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** @throws at start, SchemaError when the database is older or newer than this code */
  static with(config: Pick<Config, 'databaseUrl'>, options: PoolOptions = {}): DynamicModule {
    const { databaseUrl } = config;
    if (databaseUrl === undefined) throw new Error('DATABASE_URL is not set');
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: PG_POOL,
          useFactory: (logger: Logger) => checkedPool(databaseUrl, logger, options),
          inject: [LOGGER],
        },
      ],
      exports: [PG_POOL],
    };
  }

  /** After every module's beforeApplicationShutdown, where work in flight is finished. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

async function checkedPool(databaseUrl: string, logger: Logger, options: PoolOptions): Promise<Pool> {
  const pool = createPool(databaseUrl, logger, options);
  try {
    await assertSchemaIsCurrent(pool);
    return pool;
  } catch (err) {
    await pool.end(); // its open connection would keep the process alive
    throw err;
  }
}
