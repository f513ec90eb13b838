/** A Redis Cluster by nodes from which a client learns the others. */
export interface RedisCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

const FORM = /^redis(s?)\+cluster:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/?$/;
const NODE = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;
const USUAL_PORT = 6379;

/**
 * `redis+cluster://user:password@a:6379,b:6379`, or with rediss for TLS; one node is enough. User and password, the same
 * for every node, are percent-encoded as in any URL. Null for everything else. No number of a database: clusters have one.
 */
export function redisCluster(url: string): RedisCluster | null {
  const [, tls, username, password, hosts] = FORM.exec(url) ?? [];
  if (hosts === undefined) return null;
  const found = hosts.split(',').map((host) => NODE.exec(host.trim()));
  const nodes = found.flatMap((node) => (node ? [{ host: bare(node[1]), port: Number(node[2] ?? USUAL_PORT) }] : []));
  if (nodes.length < found.length || nodes.some(({ port }) => port < 1 || port > 65_535)) return null;
  try {
    return { nodes, username: decoded(username), password: decoded(password), tls: tls === 's' };
  } catch {
    return null; // a percent sign that encodes nothing
  }
}

/** Hosts and ports as they stand in the URL, without what opens them. */
export const shownNodes = ({ nodes }: RedisCluster): string =>
  nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');
const decoded = (text: string | undefined): string | undefined => (text ? decodeURIComponent(text) : undefined);

/**
 * True for a DATABASE_URL with `?pgbouncer=true`: a pooler that gives each transaction another connection. Nothing may be
 * kept in a session then: no setting, no statement prepared by name, no lock, no table beyond the transaction's end.
 */
export const isPooled = (databaseUrl: string): boolean => poolingIn(databaseUrl) === 'true';

/** As it stands in the URL; null where it is not said. */
export const poolingIn = (databaseUrl: string): string | null =>
  URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('pgbouncer') : null;

/** Without what only we read. */
export function serverUrlOf(databaseUrl: string): string {
  if (poolingIn(databaseUrl) === null) return databaseUrl;
  return databaseUrl.replace(/([?&])pgbouncer=[^&#]*(&?)/, (_, before: string, after: string) => (after ? before : ''));
}
