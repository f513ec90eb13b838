import { type FastifyReply, type FastifyRequest } from 'fastify';
import { BASE_HEADERS } from './request-hooks';
import { PAGE_HEADERS } from './send-page';
import { acceptsOnlyHtml, isNavigation } from './media-types';
import { type Problem } from './problem';
import { requestPolicy } from './route-policy';

/** Headers of a response that failed later. */
const SUCCESS_HEADERS = [
  'content-length',
  'content-encoding',
  'content-disposition',
  'retry-after',
  'preference-applied',
];

declare module 'fastify' {
  interface FastifyInstance {
    /** Renders a problem as an HTML page; set in create-api.ts. */
    problemPage?: (request: FastifyRequest, problem: Problem) => string;
  }
}

const isPageRequest = (request: FastifyRequest): boolean =>
  acceptsOnlyHtml(request.headers) ||
  ((request.is404 || requestPolicy(request)?.page === true) &&
    isNavigation(request.headers) &&
    !/[?&]format=(?!html\b)/.test(request.url));

/** Sends the problem: as a page if a browser opens a page or the client accepts nothing else, else as application/problem+json. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  for (const header of SUCCESS_HEADERS) void reply.removeHeader(header);
  void reply.code(problem.status).headers(BASE_HEADERS);
  void reply.headers({ 'x-request-id': request.id, ...problem.parts.headers });
  if (problem.status === 408) void reply.header('connection', 'close'); // else the client could go on sending slowly until the upload timeout
  const { problemPage } = request.server;
  if (problemPage !== undefined && isPageRequest(request))
    void reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(problemPage(request, problem));
  else
    void reply
      .header('content-type', 'application/problem+json')
      .serializer(String)
      .send(JSON.stringify(problem.document(request.id)));
}
