import './aliases';
import { startTestServers } from './servers';

/** One Postgres and one Redis of our own for the whole run; test files get databases and key prefixes of theirs. */
export default async function globalSetup(): Promise<void> {
  await startTestServers();
}
