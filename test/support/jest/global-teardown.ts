import './aliases';
import { stopTestServers } from '../servers/servers';

export default async function globalTeardown(): Promise<void> {
  await stopTestServers();
}
