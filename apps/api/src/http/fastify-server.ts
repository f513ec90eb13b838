import { randomUUID } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest, type FastifyInstance } from 'fastify';
import { BASE_HEADERS, corsHeadersOf } from './request-hooks';
import { Problem } from './problem';
import { frameworkProblem, sendProblem } from './problem.filter';

/** Half an hour, for large uploads over slow networks. Bodies that are read into memory have a shorter timeout. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;

/**
 * Request line and headers. It exceeds the limits of the hooks, which send their errors in the form that the client
 * accepts.
 */
const MAX_PARSED_HEADER_BYTES = 32_768;

/** Creates the HTTP server and router of the api with their limits. Handlers get the body as an unread stream. */
export function createAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    logger: false,
    genReqId: () => randomUUID(),
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: 72_000, // longer than the usual 60 s of load balancers, so that they close the connection
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARSED_HEADER_BYTES }, // a hook refuses long URLs
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.headers(corsHeadersOf(request) ?? {}); // the router failed, so no hook runs
      sendProblem(request, reply, new Problem('invalid-request', 'The URL is not correctly percent-encoded.'));
    },
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000, // interval of checks of headersTimeout; the default is 30 s
      maxHeaderSize: MAX_PARSED_HEADER_BYTES,
      requireHostHeader: false, // a hook rejects requests without it with a problem document
    },
  });
  const fastify = adapter.getInstance();
  fastify.server.on('checkExpectation', (_request, response: ServerResponse) => refuseExpectation(response));
  endUnusedConnections(fastify);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  return adapter;
}

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

const REASON: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** Writes a problem document to the socket if the HTTP parser of Node.js rejects a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const { headers, body } = written(status);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${REASON[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Rejects an unknown `Expect` with a problem document; the default response of Node.js has no body. */
export function refuseExpectation(response: ServerResponse): void {
  const { headers, body } = written(417);
  response.writeHead(417, headers).end(body);
}

function written(status: number): { headers: Record<string, string | number>; body: string } {
  const id = randomUUID();
  const body = JSON.stringify(frameworkProblem(status).document(id));
  const headers = {
    ...BASE_HEADERS,
    'x-request-id': id,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  return { headers, body };
}

const IDLE_CHECK_MS = 100;

/**
 * Closes idle connections during the shutdown, because the server would otherwise wait for them. These are connections
 * that browsers open in advance, and keep-alive connections after their last response. closeIdleConnections of Node.js
 * is not used, because it cuts responses that the client has not read yet.
 */
export function endUnusedConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  const newest = new Map<Socket, ServerResponse | null>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy();
    newest.set(socket, null);
    socket.once('close', () => newest.delete(socket));
  });
  server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) =>
    newest.set(socket, response),
  );
  server.closeIdleConnections = () => {
    for (const [socket, response] of newest) if (response?.writableFinished ?? true) socket.destroy();
  };
  fastify.addHook('preClose', (done) => {
    closing = true;
    const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.once('close', () => clearInterval(timer));
    done();
  });
}
