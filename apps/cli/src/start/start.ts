import { readConfig } from '@donorlens/config';
import { type ExitCode } from '../exit-code';
import { Home, removeQuietly } from '../home/home';
import { lockHome } from '../home/home-lock';
import { OutputLog } from './output-log';
import { Session } from './session';

/** `donorlens start`: everything in one, until it is told to stop. Nothing is begun before the environment is right. */
export async function start(env: NodeJS.ProcessEnv = process.env): Promise<ExitCode> {
  const config = readConfig(env);
  const home = new Home(config.home);
  home.create();
  const unlock = lockHome(home);
  const pretty = process.stdout.isTTY;
  const log = new OutputLog(home.logs, {
    pretty,
    colour: pretty && !env.NO_COLOR,
    write: (line) => process.stdout.write(`${line}\n`),
  });
  try {
    return await new Session(config, home, env, log).run();
  } finally {
    removeQuietly(home.run);
    log.close();
    unlock();
  }
}
