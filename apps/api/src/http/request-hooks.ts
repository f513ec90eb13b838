import { type IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyRequest, type FastifyReply } from 'fastify';
import {
  type RequestSpan,
  endRequestSpan,
  observeHttp,
  startRequestSpan,
  withinRequest,
  type Logger,
} from '@donorlens/observability';
import { releaseBody, drain } from './request-body';
import { mediaType } from './media-types';
import { Problem } from './problem';
import { checkQueryString, type QueryParameters } from './query-parameters';
import { requestPolicy } from './route-policy';
import { type Release, type ReleaseHolder } from '@donorlens/reference-data';

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan;
  }
}

/** Adds the first hooks of a request, for its duration by route template and its trace span. */
export function addRequestObservation(fastify: FastifyInstance): void {
  fastify.decorateRequest('span', undefined);
  fastify.addHook('onRequest', (request, _reply, done) => {
    request.span = startRequestSpan(request.method, request.headers);
    withinRequest(request.span, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = routeOf(request);
    observeHttp(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    endRequestSpan(request.span, request.method, route, reply.statusCode);
    done();
  });
}

/** The route template. URLs are not used, because they may contain names and keys. */
const routeOf = (request: FastifyRequest): string | null => (request.is404 ? null : (request.routeOptions.url ?? null));

/** Browsers and proxies send a few dozen headers. Node.js silently drops headers above 2,000. */
const MAX_HEADERS = 200;
/** Names and values together, in bytes. */
const MAX_HEADER_BYTES = 16_384;

/**
 * Rejects requests that Node.js accepts but a proxy may interpret differently.
 * @throws Problem 400, 431
 */
export function checkRequestShape({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new Problem('invalid-request', 'An HTTP/1.1 request needs a Host header.');
  if (rawHeaders.length > 2 * MAX_HEADERS)
    throw new Problem('headers-too-large', `A request has at most ${MAX_HEADERS} headers here.`);
  if (rawHeaders.reduce((bytes, text) => bytes + text.length, 0) > MAX_HEADER_BYTES)
    throw new Problem('headers-too-large', `The headers of a request have at most ${MAX_HEADER_BYTES} bytes here.`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new Problem('invalid-request', 'Only Transfer-Encoding: chunked is supported.');
}

/** Headers of every response, errors included. A URL may contain a key, so caches store only what a route allows. */
export const BASE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
} as const;

/** Characters. Some proxies truncate or reject longer URLs. */
const MAX_URL = 8000;

/** Adds checks and headers for every request, which run before the key check. */
export function addRequestHooks(fastify: FastifyInstance, logger: Logger): void {
  const requestLog = logger.child({}, { redact: [] }); // its fields contain no secrets
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(BASE_HEADERS).header('x-request-id', request.id);
    checkRequestShape(request.raw);
    if (request.url.length > MAX_URL)
      throw new Problem('url-too-long', `A URL has at most ${MAX_URL} characters here.`);
    checkQueryString(request.url, request.query as QueryParameters);
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    releaseBody(request.raw);
    if (!request.raw.complete) drain(request.raw.unpipe()); // the handler has not read the whole body
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    releaseBody(request.raw); // the client may have disconnected before onSend
    const route = routeOf(request);
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const level = route?.startsWith('/health/') ? 'debug' : 'info'; // requested about every second
    requestLog[level](
      { requestId: request.id, method: request.method, route, status: reply.statusCode, ms },
      'request',
    );
    done();
  });
}

/** Runs after the key check and before the body is read. @throws Problem 415 if the route rejects the content type */
export function checkContentType(request: FastifyRequest): void {
  const body = requestPolicy(request)?.body;
  if (body === undefined || Object.hasOwn(body, mediaType(request.headers['content-type']))) return;
  const accepted = Object.keys(body).join(', ');
  const value = Object.keys(body).length === 1 ? accepted : 'the type of the body';
  throw new Problem(
    'unsupported-media-type',
    `This path accepts ${accepted}. Send the header Content-Type with ${value}.`,
    {
      headers: { 'accept-post': accepted },
    },
  );
}

const CORS_PATHS = '/data-charts';

/** Pages of any origin may read these files and their headers. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Content-Disposition, Data-Version, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
} as const;

const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'Authorization, X-API-Key, If-None-Match, If-Modified-Since',
  'access-control-max-age': '86400',
};

/** CORS headers of a response to this request; null outside of /data-charts. */
export const corsHeadersOf = ({ url }: Pick<FastifyRequest, 'url'>): Readonly<Record<string, string>> | null =>
  url.startsWith(CORS_PATHS) ? CORS_HEADERS : null;

/** Lets pages of any origin read responses of /data-charts, errors included, and answers preflight requests. */
export function addCorsHook(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const headers = corsHeadersOf(request);
    if (headers === null) return done();
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      void reply.code(204).headers(PREFLIGHT_HEADERS).send();
      return;
    }
    void reply.headers(headers);
    done();
  });
}

/** The data release for this request; sets Data-Version. @throws Problem 503 before the first data release is loaded */
export function pinRelease(releases: ReleaseHolder, reply: FastifyReply): Release {
  const release = releases.current();
  if (release === null)
    throw new Problem('unavailable', 'The reference data is not loaded yet. Send the request again in a few seconds.', {
      headers: { 'retry-after': '5' },
    });
  void reply.header('data-version', release.id);
  return release;
}
