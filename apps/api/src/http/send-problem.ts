import { type FastifyReply, type FastifyRequest } from 'fastify';
import { problemPage } from '../pages/problem-page';
import { BASE_HEADERS, PAGE_POLICY } from './base-headers';
import { isNavigation } from './media-types';
import { type Problem } from './problem';
import { requestPolicy } from './route-policy';

/** Set for an answer that then failed. */
const OF_THE_ANSWER = [
  'content-length',
  'content-encoding',
  'content-disposition',
  'retry-after',
  'preference-applied',
];

/** Answers with the problem: a page where a person opens a page in a browser, else application/problem+json. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  for (const header of OF_THE_ANSWER) void reply.removeHeader(header);
  void reply.code(problem.status).headers(BASE_HEADERS);
  void reply.headers({ 'x-request-id': request.id, ...problem.parts.headers });
  const asPage =
    requestPolicy(request)?.page === true && isNavigation(request.headers) && !/[?&]format=/.test(request.url);
  if (asPage)
    void reply
      .header('content-security-policy', PAGE_POLICY)
      .type('text/html; charset=utf-8')
      .send(problemPage(problem, request.id));
  else
    void reply
      .header('content-type', 'application/problem+json')
      .serializer(String)
      .send(JSON.stringify(problem.document(request.id)));
}
