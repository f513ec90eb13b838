import { type KeyIdentity, type KeyRing, type TokenBucket } from '@donorlens/access-keys';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';
import { type QueryParameters } from '../http/query-parameters';
import { checkContentType } from '../http/request-hooks';
import { requestPolicy, type RoutePolicy, type Scope } from '../http/route-policy';
import { eachInTurn } from '../http/turns';
import { presentedKey } from './presented-key';
import { rateHeaders, rateLimited } from './rate-headers';
import { type Session, type Sessions } from './sessions';
import { cameByHttps, checkForm } from './visitor';

declare module 'fastify' {
  interface FastifyRequest {
    identity: KeyIdentity | null;
  }
}

/** The same bytes whether the key is missing, unknown, expired or revoked. */
export const unauthorized = (): Problem =>
  new Problem('unauthorized', 'Send a key as Authorization: Bearer, as X-API-Key or in the query of the URL.', {
    headers: { 'www-authenticate': 'Bearer realm="donorlens"' },
  });

const missingScope = (scope: Scope): Problem =>
  new Problem('missing-scope', `This needs a key with the scope ${scope}.`, { members: { scope } });

/** Key, scope and rate are settled before a byte of the body is read. */
export function addAccessHook(fastify: FastifyInstance, ring: KeyRing, bucket: TokenBucket, sessions: Sessions): void {
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
      checkContentType(request);
      return done();
    }
    const scope = policy.access;
    const admit = (identity: KeyIdentity | null): void => {
      if (identity === null) throw unauthorized();
      if (!identity.scopes.has(scope)) throw missingScope(scope);
      countRequest(identity, reply, bucket);
      request.identity = identity;
      checkContentType(request);
    };
    const key = keyOf(request); // a wrong one is not made good by a session
    const found = key === undefined ? ofSession(request, policy, sessions) : ring.authenticate(key);
    // Rare: a key that is new here.
    if (found instanceof Promise)
      return void eachInTurn(found, request)
        .then(admit)
        .then(() => done(), done);
    admit(found);
    done();
  });
}

const keyOf = (request: FastifyRequest): string | undefined =>
  presentedKey({
    path: request.url,
    query: request.query as QueryParameters,
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
  });

const sessionOf = (request: FastifyRequest, sessions: Sessions): Session | null =>
  sessions.read(request.headers.cookie, { secure: cameByHttps(request), now: Date.now() });

const SAFE = ['GET', 'HEAD'];

/** A session reads whatever its key reads; it changes something only by a form or a script of a page that was made for it. @throws Problem 403 */
function ofSession(request: FastifyRequest, policy: RoutePolicy, sessions: Sessions): KeyIdentity | null {
  const session = sessionOf(request, sessions);
  if (session === null) return null;
  if (!SAFE.includes(request.method)) {
    if (!policy.form && request.headers['x-csrf-token'] === undefined) return null;
    checkForm(request, session);
  }
  request.session = session;
  return session.identity;
}

function countRequest(identity: KeyIdentity, reply: FastifyReply, bucket: TokenBucket): void {
  if (identity.requestsPerMinute === null) return;
  const state = bucket.take(identity.id, identity.requestsPerMinute, Date.now());
  if (!state.allowed) throw rateLimited(state);
  void reply.headers(rateHeaders(state));
}

/** The key of a request on a route that has asked for one. */
export function identityOf(request: FastifyRequest): KeyIdentity {
  if (request.identity === null) throw unauthorized();
  return request.identity;
}

/** For a second scope that only some requests to a route need. @throws Problem 403 */
export function requireScope(identity: KeyIdentity, scope: Scope): void {
  if (!identity.scopes.has(scope)) throw missingScope(scope);
}
