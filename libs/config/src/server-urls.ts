/** Seed nodes of a Redis Cluster, and what a client needs to connect to them. */
export interface RedisCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

const CLUSTER_URL = /^redis(s?)\+cluster:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/?$/;
const NODE = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 6379;

/**
 * Parses `redis+cluster://user:password@a:6379,b:6379` (`rediss+cluster` for TLS). One node is enough. All nodes share
 * user and password, which are percent-encoded. A database number is not allowed: clusters have database 0 only.
 * @returns null if the URL has another form
 */
export function redisCluster(url: string): RedisCluster | null {
  const [, tls, username, password, hosts] = CLUSTER_URL.exec(url) ?? [];
  if (hosts === undefined) return null;
  const found = hosts.split(',').map((host) => NODE.exec(host.trim()));
  const nodes = found.flatMap((node) => (node ? [{ host: bare(node[1]), port: Number(node[2] ?? DEFAULT_PORT) }] : []));
  if (nodes.length < found.length || nodes.some(({ port }) => port < 1 || port > 65_535)) return null;
  try {
    return { nodes, username: decoded(username), password: decoded(password), tls: tls === 's' };
  } catch {
    return null; // invalid percent-encoding
  }
}

/** Hosts and ports for logs and pages, without user and password. */
export const shownNodes = ({ nodes }: RedisCluster): string =>
  nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');
const decoded = (text: string | undefined): string | undefined => (text ? decodeURIComponent(text) : undefined);

/**
 * True if DATABASE_URL has `?pgbouncer=true`: a pooler assigns a connection per transaction. Session state is not
 * allowed then: no settings, named prepared statements, session locks or temporary tables beyond the transaction.
 */
export const isPooled = (databaseUrl: string): boolean => poolingIn(databaseUrl) === 'true';

/** Value of the parameter `pgbouncer`; null if it is missing. */
export const poolingIn = (databaseUrl: string): string | null =>
  URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('pgbouncer') : null;

/** The URL without the parameter `pgbouncer`, which Postgres does not know. */
export function serverUrlOf(databaseUrl: string): string {
  if (poolingIn(databaseUrl) === null) return databaseUrl;
  return databaseUrl.replace(/([?&])pgbouncer=[^&#]*(&?)/, (_, before: string, after: string) => (after ? before : ''));
}

/** Whether a DATA_SOURCE is a URL and not a folder. */
export const isHttpUrl = (source: string | undefined): source is string => /^https?:\/\//i.test(source ?? '');
