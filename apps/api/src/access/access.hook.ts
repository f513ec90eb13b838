import { type KeyIdentity, type KeyRing, type TokenBucket } from '@donorlens/access-keys';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';
import { type QueryParameters } from '../http/query-parameters';
import { checkContentType } from '../http/request-hooks';
import { requestPolicy, type Scope } from '../http/route-policy';
import { presentedKey } from './presented-key';
import { rateHeaders, rateLimited } from './rate-headers';

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
export function addAccessHook(fastify: FastifyInstance, ring: KeyRing, bucket: TokenBucket): void {
  fastify.decorateRequest('identity', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.is404) return;
    const policy = requestPolicy(request);
    if (policy === undefined) throw new Problem('internal', 'This route declares no access.');
    if (policy.access !== 'public') {
      const identity = await identify(request, ring);
      if (identity === null) throw unauthorized();
      if (!identity.scopes.has(policy.access)) throw missingScope(policy.access);
      countRequest(identity, reply, bucket);
      request.identity = identity;
    }
    checkContentType(request);
  });
}

async function identify(request: FastifyRequest, ring: KeyRing): Promise<KeyIdentity | null> {
  const key = presentedKey({
    path: request.url,
    query: request.query as QueryParameters,
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
  });
  return key === undefined ? null : ring.authenticate(key);
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
