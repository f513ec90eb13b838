import { type FastifyRequest } from 'fastify';

type Headers = Pick<FastifyRequest, 'headers'>;
type Connection = Pick<FastifyRequest, 'headers' | 'protocol'>;

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;
const LOCAL_PATH = /^\/(?![/\\])[^\\\s]{0,2000}$/;
/** Redirects drop keys and form tokens: the session replaces them. */
const SECRET_PARAMETERS = ['apiKey', 'token', 'csrf'];

/** True if the browser used HTTPS, directly or through a proxy that terminates TLS. */
export const isHttps = ({ headers, protocol }: Connection): boolean =>
  protocol === 'https' ||
  String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    .trim() === 'https';

/** Scheme, host and port that the client used: `https://host:port`. */
export function originOf(request: Connection): string {
  const host = request.headers.host ?? '';
  return `${isHttps(request) ? 'https' : request.protocol}://${HOST.test(host) ? host : 'localhost'}`;
}

/** False if the browser states that another site sent the request. Clients other than browsers send neither header. */
export function isSameOrigin({ headers }: Headers): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}

/** The redirect target after a form; `/` unless `path` is a path of this service. */
export function localPath(path: string | null | undefined): string {
  if (path === null || path === undefined || !LOCAL_PATH.test(path)) return '/';
  const url = new URL(path, 'http://localhost');
  if (url.host !== 'localhost' || url.pathname.startsWith('//')) return '/'; // after parsing
  for (const name of SECRET_PARAMETERS) url.searchParams.delete(name);
  return url.pathname + url.search;
}
