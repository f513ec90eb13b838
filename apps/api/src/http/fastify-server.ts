import { randomUUID } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { answerClientError, refuseExpectation } from './client-error';
import { Problem } from './problem';
import { sendProblem } from './send-problem';
import { endUnusedConnections } from './unused-connections';

/** Half an hour: a large upload on a slow line. Bodies read as a whole have their own, shorter limit. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;

/** The router and server of the api, with every limit stated. Bodies are handed to the handlers as streams, unread. */
export function createAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    logger: false,
    genReqId: () => randomUUID(),
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: 72_000, // longer than the usual 60 s of a load balancer, so that it is the one to close
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 }, // long names are judged by the checks, not lost as a 404
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(request, reply, new Problem('invalid-request', 'The URL is not correctly percent-encoded.')),
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000, // node looks for late clients this often; its default of 30 s makes 10 s a joke
      maxHeaderSize: 16_384,
      requireHostHeader: false, // a hook refuses its absence, with a problem document
    },
  });
  const fastify = adapter.getInstance();
  fastify.server.on('checkExpectation', (_request, response: ServerResponse) => refuseExpectation(response));
  endUnusedConnections(fastify);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  return adapter;
}
