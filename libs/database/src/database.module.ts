import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { type Config, ConfigError } from '@donorlens/config';
import { LOGGER, type Logger, endFailedStart } from '@donorlens/observability';
import { TimeoutError, withTimeout } from '@donorlens/primitives';
import { assertSchemaIsCurrent } from './migrations/migrate';
import { type PoolOptions, createPool, isTransientDatabaseError } from './pool';

/** Injection token of the process's pg.Pool, which all repositories use except that of API keys. */
export const PG_POOL = Symbol('pg-pool');

export interface DatabaseOptions extends PoolOptions {
  /** True: the role starts while the database is away, instead of waiting for it. */
  readonly startsWithoutDatabase?: boolean;
}

type Check = (database: Pick<Pool, 'query'>) => Promise<void>;

/**
 * What must hold before a role uses the database. If the database is away and the role starts without it, the checks
 * run on its first connection, before any other statement. A check that fails then ends the process, as it ends a
 * start.
 */
export class StartChecks {
  readonly pool: Pool;
  private deferred: readonly Check[] = [];

  constructor(
    databaseUrl: string,
    private readonly logger: Logger,
    private readonly options: DatabaseOptions,
  ) {
    this.pool = createPool(databaseUrl, logger, {
      ...options,
      verify: (client, done) => void this.verify(client).then(() => done(), done),
    });
  }

  /** Longest wait of a start for a further answer: none if the database was away. */
  get answerWaitMs(): number {
    return this.deferred.length > 0 ? 0 : FIRST_ANSWER_MS;
  }

  /** @throws what the check throws, unless it is deferred */
  async run(check: Check): Promise<void> {
    if (!this.options.startsWithoutDatabase) return this.untilAnswered(check);
    try {
      if (this.deferred.length === 0) return await withTimeout(FIRST_ANSWER_MS, () => this.runNow(check));
    } catch (err) {
      if (!isAway(err)) throw err;
      this.logger.warn(`database away, starting without it: ${messageOf(err)}`);
    }
    this.deferred = [...this.deferred, check];
  }

  /** On a connection that is closed afterwards: if the answer is late, no statement may use it without the check. */
  private async runNow(check: Check): Promise<void> {
    const client = await this.pool.connect();
    await checkOn(client, [check]).finally(() => client.release(true));
  }

  private async verify(client: PoolClient): Promise<void> {
    if (this.deferred.length === 0) return;
    try {
      await checkOn(client, this.deferred);
    } catch (err) {
      if (!isAway(err)) endFailedStart(this.options.name ?? 'donorlens', err);
      throw err;
    }
    if (this.deferred.length > 0) this.logger.info('the database answers');
    this.deferred = [];
  }

  /** Logs each new reason once while the database is away. */
  private async untilAnswered(check: Check): Promise<void> {
    const end = performance.now() + START_WAIT_MS;
    for (let logged = ''; ; await pause(RETRY_MS)) {
      try {
        return await check(this.pool);
      } catch (err) {
        if (!isAway(err) || performance.now() >= end) throw err;
        const reason = messageOf(err);
        if (reason !== logged)
          this.logger.warn(`database away, the start waits up to ${START_WAIT_MS / 1000} s: ${reason}`);
        logged = reason;
      }
    }
  }
}

/** A start waits this long for a database that does not answer. */
const START_WAIT_MS = 60_000;
const RETRY_MS = 250;
/** A role that can start without the database waits this long for its first answer. */
const FIRST_ANSWER_MS = 2_000;

/** Wrong credentials are refused at once: waiting does not help. */
const isAway = (err: unknown): boolean =>
  err instanceof TimeoutError || (isTransientDatabaseError(err) && !(err as { code?: string }).code?.startsWith('28'));

/** Without a listener, a connection that breaks during the checks would end the process. */
async function checkOn(client: PoolClient, checks: readonly Check[]): Promise<void> {
  const ignore = (): void => undefined;
  client.on('error', ignore);
  try {
    for (const check of checks) await check(client);
  } finally {
    client.off('error', ignore);
  }
}

const messageOf = (err: unknown): string => {
  const { code = '', message } = err as Error & { code?: string };
  return message || code;
};

@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** @throws at start, SchemaError when the database is older or newer than this code */
  static forRoot(config: Pick<Config, 'databaseUrl'>, options: DatabaseOptions = {}): DynamicModule {
    const { databaseUrl } = config;
    if (databaseUrl === undefined) throw new ConfigError(['DATABASE_URL must be set']);
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: StartChecks,
          useFactory: async (logger: Logger) => {
            const checks = new StartChecks(databaseUrl, logger, options);
            await checks.run(assertSchemaIsCurrent).catch(async (err: unknown) => {
              await checks.pool.end(); // its open connection would keep the process alive
              throw err;
            });
            return checks;
          },
          inject: [LOGGER],
        },
        { provide: PG_POOL, useFactory: ({ pool }: StartChecks) => pool, inject: [StartChecks] },
      ],
      exports: [PG_POOL, StartChecks],
    };
  }

  /** Runs after beforeApplicationShutdown of all modules, which finish work in progress. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
