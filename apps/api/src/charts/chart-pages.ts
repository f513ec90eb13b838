import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type TableQuery } from './table-query';

/** Endpoints 6 and 7 as a page or a picture; the web module provides it. */
export abstract class ChartPages {
  abstract send(query: TableQuery, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}
