import { type Config, redisCluster, shownNodes } from '@donorlens/config';

/** Host and port of the database and the queue server, with the variable that names them; no credentials. */
export interface ServerAddresses {
  readonly database: string;
  /** The queue server: Redis, or the database. */
  readonly queue: string;
}

export function serverAddresses({
  databaseUrl,
  redisUrl,
  queueBackend,
}: Pick<Config, 'databaseUrl' | 'redisUrl' | 'queueBackend'>): ServerAddresses {
  const database = addressOf(databaseUrl, '5432', 'DATABASE_URL');
  return { database, queue: queueBackend === 'redis' ? addressOf(redisUrl, '6379', 'REDIS_URL') : database };
}

/** `127.0.0.1:5432 (DATABASE_URL)`; a socket by its folder, a cluster by the nodes that are named. */
function addressOf(text: string | undefined, port: string, variable: string): string {
  const cluster = text === undefined ? null : redisCluster(text);
  if (cluster) return `${shownNodes(cluster)} (${variable})`;
  if (text === undefined || !URL.canParse(text)) return variable;
  const url = new URL(text);
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  return `${host || 'localhost'}:${url.port || port} (${variable})`;
}
