import { type Config, redisCluster, shownNodes } from '@donorlens/config';

/** Host and port of the servers that the service stands on, and where they were read from: nothing that opens anything. */
export interface ServerPlaces {
  readonly database: string;
  /** What holds the jobs: Redis, or the database. */
  readonly queue: string;
}

export function serverPlaces({
  databaseUrl,
  redisUrl,
  queueBackend,
}: Pick<Config, 'databaseUrl' | 'redisUrl' | 'queueBackend'>): ServerPlaces {
  const database = placeOf(databaseUrl, '5432', 'DATABASE_URL');
  return { database, queue: queueBackend === 'redis' ? placeOf(redisUrl, '6379', 'REDIS_URL') : database };
}

/** `127.0.0.1:5432 (DATABASE_URL)`; a socket by its folder, a cluster by the nodes that are named. */
function placeOf(text: string | undefined, port: string, variable: string): string {
  const cluster = text === undefined ? null : redisCluster(text);
  if (cluster) return `${shownNodes(cluster)} (${variable})`;
  if (text === undefined || !URL.canParse(text)) return variable;
  const url = new URL(text);
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  return `${host || 'localhost'}:${url.port || port} (${variable})`;
}
