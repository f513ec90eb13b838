import { type FastifyRequest } from 'fastify';
import { cameByHttps, visitorOf } from '../access/visitor';
import { type QueryParameters } from '../http/query-parameters';
import { type Visit } from '../pages/visit';

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** How the reader came, as far as the links of a page depend on it. */
export function visitOf(request: FastifyRequest): Visit {
  const { token } = request.query as QueryParameters;
  const host = request.headers.host ?? '';
  return {
    origin: `${cameByHttps(request) ? 'https' : request.protocol}://${HOST.test(host) ? host : 'localhost'}`,
    token: typeof token === 'string' ? token : undefined,
    visitor: visitorOf(request),
  };
}
