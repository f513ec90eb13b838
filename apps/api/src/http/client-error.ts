import { randomUUID } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { BASE_HEADERS } from './base-headers';
import { frameworkProblem } from './problem.filter';

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

/** Answers what node's HTTP parser refuses before there is a request: written by hand on the socket. */
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

/** Answers an `Expect` that node does not know, which it would refuse without a word of why. */
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
