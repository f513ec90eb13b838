import { type KeyIdentity, type Scope } from '@donorlens/access-keys';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';
import { checkParameterNames, type QueryParameters } from '../http/query-parameters';
import { checkContentType } from '../http/request-hooks';
import { requestPolicy, type RoutePolicy } from '../http/route-policy';
import { awaitShared } from '../http/request-scheduling';
import { rateHeaders, rateLimited, type RateLimiter } from './rate-limiter';
import { type Session, type Sessions, checkCsrfToken } from './sessions';
import { type KeyAuthenticator } from './wrong-keys';
import { isHttps } from '../http/request-origin';

declare module 'fastify' {
  interface FastifyRequest {
    identity: KeyIdentity | null;
  }
}

/** The response is the same whether the key is missing, unknown, expired or revoked. */
export const unauthorized = (): Problem =>
  new Problem(
    'unauthorized',
    'Send a key as Authorization: Bearer or as X-API-Key. In a URL it is apiKey under /enrich and token under /data-charts.',
    { headers: { 'www-authenticate': 'Bearer realm="donorlens"' } },
  );

const missingScope = (scope: Scope): Problem =>
  new Problem('missing-scope', `This needs a key with the scope ${scope}.`, { members: { scope } });

/**
 * Checks key, scope and rate limit before the body is read. It is a hook and not a guard, because it also covers routes
 * of plugins and requests without a route (ADR 14).
 */
export function addAccessHook(
  fastify: FastifyInstance,
  keys: KeyAuthenticator,
  limiter: RateLimiter,
  sessions: Sessions,
): void {
  fastify.decorateRequest('identity', null).decorateRequest('session', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.is404) {
      request.session = sessionOf(request, sessions);
      return done();
    }
    const policy = requestPolicy(request);
    if (policy === undefined) throw new Problem('internal', 'This route declares no access.');
    if (policy.access === 'public') {
      if (policy.page) request.session = sessionOf(request, sessions);
      checkRequest(request);
      return done();
    }
    keys.assertUsable();
    const key = presentedKey(request);
    // A request with a wrong key is rejected, even if the browser is signed in.
    const found = key === undefined ? sessionIdentity(request, policy, sessions) : keys.authenticate(key, request.ip);
    const identified = found instanceof Promise ? awaitShared(found, request) : found;
    const admitted = mapMaybePromise(identified, (identity) => {
      const known = authorized(identity, policy.access as Scope);
      return mapMaybePromise(countRequest(known, reply, limiter), () => {
        request.identity = known;
        checkRequest(request);
      });
    });
    if (admitted instanceof Promise) return void admitted.then(() => done(), done);
    done();
  });
}

/** @throws Problem 400, 415 */
function checkRequest(request: FastifyRequest): void {
  checkParameterNames(request);
  checkContentType(request);
}

/** Calls `next` synchronously if the value is known. Only new keys and keys with a rate limit need a promise. */
const mapMaybePromise = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** @throws Problem 401, 403 */
function authorized(identity: KeyIdentity | null, scope: Scope): KeyIdentity {
  if (identity === null) throw unauthorized();
  if (!identity.scopes.has(scope)) throw missingScope(scope);
  return identity;
}

/** Counts the request and adds the rate limit headers, unless the key has no limit. @throws Problem 429 */
function countRequest(identity: KeyIdentity, reply: FastifyReply, limiter: RateLimiter): void | Promise<void> {
  if (identity.requestsPerMinute === null) return;
  return mapMaybePromise(limiter.consume(identity.id, identity.requestsPerMinute), (state) => {
    if (!state.isAllowed) throw rateLimited(state);
    void reply.headers(rateHeaders(state));
  });
}

const sessionOf = (request: FastifyRequest, sessions: Sessions): Session | null =>
  sessions.read(request.headers.cookie, { secure: isHttps(request), now: Date.now() });

const SAFE = ['GET', 'HEAD'];

/** The API key of the session. A request that changes data must contain the CSRF token. @throws Problem 403 */
function sessionIdentity(request: FastifyRequest, policy: RoutePolicy, sessions: Sessions): KeyIdentity | null {
  const session = sessionOf(request, sessions);
  if (session === null) return null;
  if (!SAFE.includes(request.method)) {
    if (!policy.form && request.headers['x-csrf-token'] === undefined) return null;
    checkCsrfToken(request, session);
  }
  request.session = session;
  return session.identity;
}

/** The API key of a request to a route that requires one. @throws Problem 401 */
export function identityOf(request: FastifyRequest): KeyIdentity {
  if (request.identity === null) throw unauthorized();
  return request.identity;
}

/** Checks a scope that only some requests to a route need. @throws Problem 403 */
export function requireScope(identity: KeyIdentity, scope: Scope): void {
  if (!identity.scopes.has(scope)) throw missingScope(scope);
}

/** The query parameter that contains the key, by endpoint group. */
const KEY_PARAMETERS = [
  ['/enrich', 'apiKey'],
  ['/data-charts', 'token'],
] as const;

/**
 * The API key of a request: Authorization: Bearer, X-API-Key, or the query parameter of the endpoint group.
 * @returns undefined if the request has none
 * @throws Problem 400 if the request has more than one, even if they are equal
 */
export function presentedKey(request: FastifyRequest): string | undefined {
  const query = request.query as QueryParameters;
  const parameter = KEY_PARAMETERS.find(([group]) => request.url.startsWith(group))?.[1];
  const inQuery = KEY_PARAMETERS.flatMap(([, name]) => query[name] ?? []);
  const inHeaders = [...headerValues(request, 'authorization'), ...headerValues(request, 'x-api-key')];
  if (inQuery.length + inHeaders.length > 1)
    throw new Problem('ambiguous-key', 'Send the key once: as Authorization: Bearer, as X-API-Key or in the URL.');
  if (inHeaders.length === 1) return bearerOf(request) ?? headerText(request.headers['x-api-key']);
  const own = parameter && query[parameter];
  return typeof own === 'string' && own !== '' ? own : undefined;
}

/** All values of a header, from the raw headers, because Node.js joins or drops repeated headers. */
function headerValues({ headers, raw: { rawHeaders } }: FastifyRequest, name: string): string[] {
  if (headers[name] === undefined) return [];
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1].toLowerCase() === name);
}

const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

const headerText = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
