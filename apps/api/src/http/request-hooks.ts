import { type Logger } from '@donorlens/observability';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { BASE_HEADERS } from './base-headers';
import { releaseBody } from './body-budget';
import { mediaType } from './media-types';
import { Problem } from './problem';
import { checkQueryString, type QueryParameters } from './query-parameters';
import { drain } from './request-body';
import { checkRequestShape } from './request-shape';
import { requestPolicy } from './route-policy';

/** Longer URLs are cut or refused by proxies on the way. */
const MOST_URL = 8000;

/** What every request goes through before its key is looked at. */
export function addRequestHooks(fastify: FastifyInstance, logger: Logger): void {
  const lines = logger.child({}, { redact: [] }); // nothing of theirs has to be cut out
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(BASE_HEADERS).header('x-request-id', request.id);
    checkRequestShape(request.raw);
    if (request.url.length > MOST_URL)
      throw new Problem('url-too-long', `A URL has at most ${MOST_URL} characters here.`);
    checkQueryString(request.url, request.query as QueryParameters);
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    releaseBody(request.raw);
    if (!request.raw.complete) drain(request.raw.unpipe()); // a body that nobody wants: see drain
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    releaseBody(request.raw); // of a client that did not wait for its answer
    const route = request.is404 ? null : request.routeOptions.url; // the template: a URL holds names and keys
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const level = route?.startsWith('/health/') ? 'debug' : 'info'; // asked every second or so
    lines[level]({ requestId: request.id, method: request.method, route, status: reply.statusCode, ms }, 'request');
    done();
  });
}

/** Refuses a body of a type that the route does not read. Runs after the key check, before a byte of the body is read. */
export function checkContentType(request: FastifyRequest): void {
  const body = requestPolicy(request)?.body;
  if (body === undefined || Object.hasOwn(body, mediaType(request.headers['content-type']))) return;
  const accepted = Object.keys(body).join(', ');
  const named = Object.keys(body).length === 1 ? accepted : 'the one that the body has';
  throw new Problem(
    'unsupported-media-type',
    `This address reads ${accepted}: send the header Content-Type, with ${named}.`,
    {
      headers: { 'accept-post': accepted },
    },
  );
}
