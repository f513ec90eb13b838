import { join } from 'node:path';
import {
  type RunningServer,
  describePostgres,
  findPostgresBinaries,
  type RunningPostgres,
  startPostgres,
  type RedisBinary,
  startRedis,
} from '@donorlens/local-servers';
import { type Config } from '@donorlens/config';
import { migrate } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { checkRedis } from '@donorlens/queues';
import { type Home } from '../home/home';
import { type SupervisedUnit, type Run, type RunEnd, type Supervisor } from './supervisor';
import { dependencyError, isUnreachable, messageOf } from '../exit-code';
import { shownUrl } from './banner';
import { type Layers } from './layers';
import { writeRedisPid } from './stale-servers';

interface ServerSteps<Server> {
  first(): Promise<Server>;
  /** Restarts the same server at the same URL. */
  restart(last: Server): Promise<Server>;
  started?(server: Server): void;
}

/** A local server that the supervisor can restart. */
class SupervisedServer<Server extends RunningServer> implements SupervisedUnit {
  private server: Server | null = null;

  constructor(
    readonly name: string,
    private readonly steps: ServerSteps<Server>,
  ) {}

  /** The server of the last run. @throws Error before the first start */
  get running(): Server {
    if (!this.server) throw new Error(`${this.name} has not been started`);
    return this.server;
  }

  async start(): Promise<Run> {
    const server = await (this.server ? this.steps.restart(this.server) : this.steps.first());
    this.server = server;
    const ended = new Promise<RunEnd>((resolve) => server.onExit(({ code, signal }) => resolve({ code, signal })));
    return { pid: server.pid, ended, stop: () => server.stop() };
  }

  started(): void {
    this.steps.started?.(this.running);
  }
}

const serverLog = (home: Home, name: string): string => join(home.logs, `${name}.log`);

export interface ChosenServer {
  readonly url: string;
  /** One line for the banner: kind of server, address and reason. */
  readonly text: string;
}

/** Returns the database of DATABASE_URL, or else starts the embedded Postgres. */
export async function provideDatabase(
  config: Config,
  layers: Layers,
  home: Home,
  supervisor: Supervisor,
  path: string,
): Promise<ChosenServer> {
  const because = `(${layers.database.reason})`;
  if (config.databaseUrl) return { url: config.databaseUrl, text: `${shownUrl(config.databaseUrl)} ${because}` };
  const binaries = findPostgresBinaries(path);
  const options = { dataDir: home.postgres, logFile: serverLog(home, 'postgres'), binaries };
  const unit = new SupervisedServer<RunningPostgres>('postgres', {
    first: () => startPostgres(options),
    restart: (last) => last.restart(),
  });
  await supervisor.startServer(unit);
  const { url, port, binaries: used, runs } = unit.running;
  const user = runs === 'this user' ? '' : `, as ${runs} since it refuses root`;
  return { url, text: `${describePostgres(used)} on 127.0.0.1:${port}${user} ${because}` };
}

/** @throws CliError with exit code 3 if the database cannot be reached */
export async function migrateDatabase(databaseUrl: string, logger: Logger): Promise<void> {
  try {
    const { warnings } = await migrate(databaseUrl, logger);
    for (const warning of warnings) logger.warn({ warning }, 'the database server can lose stored data');
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    const reason = messageOf(error);
    throw dependencyError(
      `the database ${shownUrl(databaseUrl)} cannot be reached (${reason || 'no answer'}): start it, or correct DATABASE_URL`,
    );
  }
}

export interface ChosenQueue {
  readonly backend: 'redis' | 'postgres';
  readonly redisUrl: string | null;
  readonly text: string;
}

/** Checks the given Redis, or starts the embedded redis-server if it was chosen. */
export async function provideQueue(
  { kind, reason }: Layers['queue'],
  given: string | undefined,
  binary: RedisBinary | null,
  home: Home,
  supervisor: Supervisor,
): Promise<ChosenQueue> {
  if (kind === 'given-redis' && given) {
    if (!(await checkRedis(given)))
      throw dependencyError(`REDIS_URL ${shownUrl(given)} does not answer: start Redis, or correct REDIS_URL`);
    return { backend: 'redis', redisUrl: given, text: `Redis at ${shownUrl(given)} (${reason})` };
  }
  if (kind !== 'own-redis' || !binary)
    return { backend: 'postgres', redisUrl: null, text: `in the database (${reason})` };
  const unit = new SupervisedServer('redis', {
    first: () => startRedis({ dataDir: home.redis, logFile: serverLog(home, 'redis'), binary }),
    restart: (last) => last.restart(),
    started: ({ pid }) => writeRedisPid(home, pid),
  });
  await supervisor.startServer(unit);
  const { url, port, version } = unit.running;
  return {
    backend: 'redis',
    redisUrl: url,
    text: `embedded redis-server ${version} on 127.0.0.1:${port} (${reason})`,
  };
}
