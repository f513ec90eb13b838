import './aliases';
import { startTestServers } from '../servers/servers';

/** Starts one Postgres and one Redis for the whole run. Each test file gets its own databases and key prefixes. */
export default async function globalSetup(): Promise<void> {
  await startTestServers();
}
