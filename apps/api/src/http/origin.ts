import { type FastifyRequest } from 'fastify';
import { cameByHttps } from '../access/visitor';

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** The address by which the reader came, `https://host:port`; behind a proxy that ends TLS, what the proxy says of it. */
export function originOf(request: Pick<FastifyRequest, 'headers' | 'protocol'>): string {
  const host = request.headers.host ?? '';
  return `${cameByHttps(request) ? 'https' : request.protocol}://${HOST.test(host) ? host : 'localhost'}`;
}
