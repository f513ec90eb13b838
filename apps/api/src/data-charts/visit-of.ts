import { type FastifyRequest } from 'fastify';
import { visitorOf } from '../access/visitor';
import { originOf } from '../http/origin';
import { type QueryParameters } from '../http/query-parameters';
import { type Visit } from '../pages/visit';

/** How the reader came, as far as the links of a page depend on it. */
export function visitOf(request: FastifyRequest): Visit {
  const { token } = request.query as QueryParameters;
  return {
    origin: originOf(request),
    token: typeof token === 'string' ? token : undefined,
    visitor: visitorOf(request),
  };
}
