import { dependencyError } from './exit-code';
import { readRunInfo } from './home/home';
import { clientContext } from './program-context';

/** The database of the local commands: DATABASE_URL, else the one that a running start keeps. @throws exit code 3 */
export function databaseUrlOf(): string {
  const { config, home } = clientContext();
  const url = config.databaseUrl ?? readRunInfo(home)?.databaseUrl;
  if (url) return url;
  throw dependencyError(
    `no donorlens runs on ${home.root} and DATABASE_URL is not set: start it with npm start, or set DONORLENS_HOME to its folder`,
  );
}
