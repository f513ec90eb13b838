import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { sign, unsign } from '@fastify/cookie';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type FastifyRequest } from 'fastify';
import { type KeyIdentity, type KeyRing } from '@donorlens/access-keys';
import { Problem } from '../http/problem';
import { type QueryParameters } from '../http/query-parameters';
import { isSameOrigin } from '../http/request-origin';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | null;
  }
}

const SESSION_MS = 12 * 3_600_000;
const NONCE_BYTES = 12;
const MARK_LENGTH = 22;
const NAME_MARK_LENGTH = 8;

interface RequestContext {
  /** True if the browser used HTTPS. */
  readonly secure: boolean;
  readonly now: number;
}

/** A session from a valid cookie whose API key is usable. */
export interface Session {
  readonly identity: KeyIdentity;
  /** CSRF token. Every request of this session that changes data must include it. */
  readonly csrf: string;
}

/**
 * Browser sessions, so that no URL contains the key. The cookie contains the id of the key and is signed with a secret
 * derived from ADDRESS_SECRET, which all processes share. It contains no credentials. It becomes invalid when the key
 * is revoked or expires, and when the secret of the sign-in no longer works: at a rotation, or at the end of its grace.
 */
export class Sessions {
  private readonly secret: Buffer;
  private readonly name: string;

  constructor(
    addressSecret: string,
    private readonly ring: KeyRing,
  ) {
    this.secret = Buffer.from(hkdfSync('sha256', addressSecret, '', 'donorlens session v1', 32));
    this.name = `donorlens-${this.hmac('name').slice(0, NAME_MARK_LENGTH)}`;
  }

  /** Creates the cookie after a sign-in with this key. */
  createCookie(identity: KeyIdentity, { secure, now }: RequestContext): string {
    const [hash] = this.ring.hashesOf(identity.id, now);
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const text = [identity.id, String(now + SESSION_MS), nonce, this.markOf(hash)].join('~');
    return this.cookie(sign(text, this.secret), SESSION_MS / 1000, secure);
  }

  /** Creates the cookie that ends a session. */
  createExpiredCookie(secure: boolean): string {
    return this.cookie('', 0, secure);
  }

  /** Reads a session; null if the cookie is missing, forged or expired, or if the key is no longer usable. */
  read(cookieHeader: string | undefined, { secure, now }: RequestContext): Session | null {
    const name = this.nameBy(secure);
    if (cookieHeader === undefined || !cookieHeader.includes(`${name}=`)) return null;
    const { valid, value } = unsign(parseCookie(cookieHeader)[name] ?? '', this.secret);
    if (!valid || value === null) return null;
    const [keyId, until, nonce, mark] = value.split('~');
    if (now >= Number(until) || !this.ring.hashesOf(keyId, now).some((hash) => this.markOf(hash) === mark)) return null;
    const identity = this.ring.byId(keyId, now);
    return identity && { identity, csrf: this.hmac(`csrf ${nonce}`) };
  }

  /**
   * Name of the cookie. It differs by installation: cookies ignore the port, so installations on one host would
   * overwrite each other's cookies. Over HTTPS the prefix `__Host-` keeps other hosts from setting the cookie.
   */
  private nameBy(secure: boolean): string {
    return secure ? `__Host-${this.name}` : this.name;
  }

  private markOf(hash: Buffer): string {
    return this.hmac(`key ${hash.toString('base64')}`).slice(0, MARK_LENGTH);
  }

  private hmac(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('base64url');
  }

  private cookie(value: string, maxAge: number, secure: boolean): string {
    const lax = { path: '/', httpOnly: true, sameSite: 'lax' } as const;
    return stringifySetCookie({ name: this.nameBy(secure), value, ...lax, maxAge, secure });
  }
}

/** The user of a signed-in browser. */
export interface SessionUser {
  readonly keyName: string;
  readonly scopes: ReadonlySet<string>;
  readonly csrf: string;
}

/** Null if the browser is not signed in, or if the request contains an API key. */
export const sessionUserOf = ({ session }: FastifyRequest): SessionUser | null =>
  session && { keyName: session.identity.name, scopes: session.identity.scopes, csrf: session.csrf };

/** URL for the action of a form. It contains the token, so that the api checks it before it reads the body. */
export const withCsrf = (path: string, { csrf }: SessionUser): string =>
  `${path}${path.includes('?') ? '&' : '?'}csrf=${encodeURIComponent(csrf)}`;

/** @throws Problem 403 unless the request contains the session's token and comes from the same origin */
export function checkCsrfToken(request: FastifyRequest, session: Session): void {
  const { csrf } = request.query as QueryParameters;
  const token = request.headers['x-csrf-token'] ?? csrf;
  if (token !== session.csrf || !isSameOrigin(request))
    throw new Problem(
      'stale-form',
      'This form was not made for your session. Load its page again and send it from there.',
    );
}
