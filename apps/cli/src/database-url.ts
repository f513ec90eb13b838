import { dependencyError } from './exit-code';
import { readRunInfo } from './home/home';
import { clientContext } from './program-context';

/** Returns DATABASE_URL, or else the database of the running `npm start`. @throws CliError with exit code 3 */
export function databaseUrlOf(): string {
  const { config, home } = clientContext();
  const url = config.databaseUrl ?? readRunInfo(home)?.databaseUrl;
  if (url) return url;
  throw dependencyError(
    `no donorlens runs on ${home.root} and DATABASE_URL is not set: start it with npm start, or set DONORLENS_HOME to its folder`,
  );
}
