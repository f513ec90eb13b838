import { type Config } from '@donorlens/config';
import { migrate } from '@donorlens/database';
import { findPostgresBinaries, type RunningPostgres, startPostgres } from '@donorlens/local-servers';
import { type Logger } from '@donorlens/observability';
import { dependencyError, isUnreachable } from '../exit-code';
import { type Home } from '../home/home';
import { shownUrl } from './banner';
import { type Layers } from './layers';
import { KeptServer, serverLog } from './servers';
import { type Supervisor } from './supervisor';
import { messageOf } from '../fault-code';

export interface ChosenServer {
  readonly url: string;
  /** One line for the banner: what, where, why. */
  readonly text: string;
}

/** Brings up the database of this start and its schema. */
export async function databaseOf(
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
  const unit = new KeptServer<RunningPostgres>('postgres', {
    first: () => startPostgres(options),
    again: (last) => last.restart(),
  });
  await supervisor.startServer(unit);
  const { url, port, version, binaries: used, runs } = unit.running;
  const user = runs === 'this user' ? '' : `, as ${runs} since it refuses root`;
  const origin = used.kind === 'embedded' ? 'embedded PostgreSQL' : `PostgreSQL of this machine, ${used.folder},`;
  return { url, text: `${origin} ${version} on 127.0.0.1:${port}${user} ${because}` };
}

/** @throws CliError with exit code 3 where the database cannot be reached */
export async function migrated(databaseUrl: string, logger: Logger): Promise<void> {
  try {
    await migrate(databaseUrl, logger);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    const reason = messageOf(error);
    throw dependencyError(`the database ${shownUrl(databaseUrl)} cannot be reached: ${reason || 'no answer'}`);
  }
}
