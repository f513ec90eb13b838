import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { sign, unsign } from '@fastify/cookie';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type KeyIdentity, type KeyRing } from '@donorlens/access-keys';

const SESSION_MS = 12 * 3_600_000;
const NONCE_BYTES = 12;
const MARK_LENGTH = 22;
const NAME_MARK_LENGTH = 8;

interface Visit {
  /** Whether the browser came by https. */
  readonly secure: boolean;
  readonly now: number;
}

/** What a cookie that we signed says, once its key has been found usable. */
export interface Session {
  readonly identity: KeyIdentity;
  /** Goes with everything that this session changes: a page of somebody else does not know it. */
  readonly csrf: string;
}

/**
 * A person's way to come without a key in the URL: after entering it once, a cookie that names the key, signed with a
 * secret derived from the one that all processes share. It holds nothing that opens anything elsewhere, and ends when its
 * key is revoked, expires or gets another secret.
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

  /** The cookie of a key that was just presented and let in. */
  begin(identity: KeyIdentity, { secure, now }: Visit): string {
    const [hash] = this.ring.hashesOf(identity.id, now);
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const text = [identity.id, String(now + SESSION_MS), nonce, this.markOf(hash)].join('~');
    return this.cookie(sign(text, this.secret), SESSION_MS / 1000, secure);
  }

  /** The cookie that takes its place where a session ends. */
  ended(secure: boolean): string {
    return this.cookie('', 0, secure);
  }

  /** Null for a cookie that is missing, not ours or too old, and for a key that opens nothing any more. */
  read(cookieHeader: string | undefined, { secure, now }: Visit): Session | null {
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
   * Cookies know no port: the name tells installations on one host apart, which would else sign each other's people out.
   * By https it begins so that browsers let nobody but this host set it.
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
