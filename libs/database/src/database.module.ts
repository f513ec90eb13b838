import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { assertSchemaIsCurrent } from './migrations/migrate';
import { type PoolOptions, createPool, isDatabaseAway } from './pool';

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

/** A start waits this long for a database that does not answer. */
const START_WAIT_MS = 60_000;
const RETRY_MS = 250;

async function checkedPool(databaseUrl: string, logger: Logger, options: PoolOptions): Promise<Pool> {
  const pool = createPool(databaseUrl, logger, options);
  try {
    await untilSchemaIsCurrent(pool, logger);
    return pool;
  } catch (err) {
    await pool.end(); // its open connection would keep the process alive
    throw err;
  }
}

/** Logs each new reason once while the database is away. Wrong credentials are refused at once: waiting does not help. */
async function untilSchemaIsCurrent(pool: Pool, logger: Logger): Promise<void> {
  const end = performance.now() + START_WAIT_MS;
  for (let logged = ''; ; await pause(RETRY_MS)) {
    try {
      return await assertSchemaIsCurrent(pool);
    } catch (err) {
      const { code = '', message } = err as Error & { code?: string };
      if (!isDatabaseAway(err) || code.startsWith('28') || performance.now() >= end) throw err;
      const reason = message || code;
      if (reason !== logged) logger.warn(`database away, the start waits up to ${START_WAIT_MS / 1000} s: ${reason}`);
      logged = reason;
    }
  }
}
