import { type FastifyRequest } from 'fastify';
import { type Visitor, visitorOf } from '../access/visitor';
import { type QueryParameters } from '../http/query-parameters';

/** Who reads the page of a name. */
export interface Reader {
  readonly visitor: Visitor | null;
  /** The reader's key, only where it came in the URL: links and forms carry it on. */
  readonly apiKey: string | undefined;
}

export function readerOf(request: FastifyRequest): Reader {
  const { apiKey } = request.query as QueryParameters;
  return { visitor: visitorOf(request), apiKey: typeof apiKey === 'string' ? apiKey : undefined };
}
