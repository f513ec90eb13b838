import {
  type RequestSpan,
  endRequestSpan,
  observeHttp,
  startRequestSpan,
  withinRequest,
} from '@donorlens/observability';
import { type FastifyInstance, type FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan;
  }
}

/** The first hooks of a request: its time is counted by its route's template, and its span holds all that it starts. */
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

/** The template: a URL holds names and keys. */
const routeOf = (request: FastifyRequest): string | null => (request.is404 ? null : (request.routeOptions.url ?? null));
