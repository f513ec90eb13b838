import { type FastifyInstance } from 'fastify';

const PREFIX = '/data-charts/v1/';

/** Pages of any origin may read these files and their headers. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Content-Disposition, Data-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
} as const;

const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'Authorization, X-API-Key, If-None-Match',
  'access-control-max-age': '86400',
};

/** Lets pages of any origin read the answers of /data-charts, errors included, and answers preflight requests. */
export function addCorsHook(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(PREFIX)) return done();
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      void reply.code(204).headers(PREFLIGHT_HEADERS).send();
      return;
    }
    void reply.headers(CORS_HEADERS);
    done();
  });
}
