import { type RedisBinary, startRedis } from '@donorlens/local-servers';
import { checkRedis } from '@donorlens/queues';
import { dependencyError } from '../exit-code';
import { type Home } from '../home/home';
import { shownUrl } from './banner';
import { type Layers } from './layers';
import { KeptServer, serverLog } from './servers';
import { rememberRedis } from './stale-servers';
import { type Supervisor } from './supervisor';

export interface ChosenQueue {
  readonly backend: 'redis' | 'postgres';
  readonly redisUrl: string | null;
  readonly text: string;
}

/** Brings up the queue's server where it has one of its own. */
export async function queueOf(
  { kind, reason }: Layers['queue'],
  given: string | undefined,
  binary: RedisBinary | null,
  home: Home,
  supervisor: Supervisor,
): Promise<ChosenQueue> {
  if (kind === 'given-redis' && given) {
    if (!(await checkRedis(given))) throw dependencyError(`REDIS_URL ${shownUrl(given)} does not answer`);
    return { backend: 'redis', redisUrl: given, text: `Redis at ${shownUrl(given)} (${reason})` };
  }
  if (kind !== 'own-redis' || !binary)
    return { backend: 'postgres', redisUrl: null, text: `in the database (${reason})` };
  const unit = new KeptServer('redis', {
    first: () => startRedis({ dataDir: home.redis, logFile: serverLog(home, 'redis'), binary }),
    again: (last) => last.restart(),
    started: ({ pid }) => rememberRedis(home, pid),
  });
  await supervisor.startServer(unit);
  const { url, port, version } = unit.running;
  return {
    backend: 'redis',
    redisUrl: url,
    text: `redis-server ${version} of our own on 127.0.0.1:${port} (${reason})`,
  };
}
