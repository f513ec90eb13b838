import { type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';
import { type QueryParameters } from '../http/query-parameters';
import { type Session } from './sessions';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | null;
  }
}

/** A person who has entered a key in this browser. */
export interface Visitor {
  readonly keyName: string;
  readonly scopes: ReadonlySet<string>;
  readonly csrf: string;
}

/** Null where nobody has, or where the request came with a key of its own, which its links then carry on. */
export const visitorOf = ({ session }: FastifyRequest): Visitor | null =>
  session && { keyName: session.identity.name, scopes: session.identity.scopes, csrf: session.csrf };

/** Where a form of this visitor goes. The token is in the URL, so that it is judged before a byte of the body is read. */
export const withCsrf = (path: string, { csrf }: Visitor): string =>
  `${path}${path.includes('?') ? '&' : '?'}csrf=${encodeURIComponent(csrf)}`;

/** Refuses what another site sent with this browser's cookie. @throws Problem 403 */
export function checkForm(request: FastifyRequest, session: Session): void {
  const { csrf } = request.query as QueryParameters;
  const token = request.headers['x-csrf-token'] ?? csrf;
  if (token !== session.csrf || !isSameOrigin(request))
    throw new Problem(
      'stale-form',
      'This form was not made for your session. Load its page again and send it from there.',
    );
}

/** Whether a browser says that a page of ours sent this. Programs say nothing. */
export function isSameOrigin({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}

/** Whether the browser came by https, also through a proxy that ends it. */
export const cameByHttps = ({ headers, protocol }: Pick<FastifyRequest, 'headers' | 'protocol'>): boolean =>
  protocol === 'https' ||
  String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    .trim() === 'https';
