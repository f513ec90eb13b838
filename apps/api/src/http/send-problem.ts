import { type FastifyReply, type FastifyRequest } from 'fastify';
import { localPath } from '../access/local-path';
import { visitorOf } from '../access/visitor';
import { type KeyPromptProps } from '../pages/key-prompt';
import { problemPage } from '../pages/problem-page';
import { BASE_HEADERS, PAGE_HEADERS } from './base-headers';
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

/** Where a key is missing, or opens another door, a person can enter one and goes on to what was asked. */
const promptOf = ({ method, url }: FastifyRequest, { code }: Problem): KeyPromptProps | undefined =>
  code === 'unauthorized' || code === 'missing-scope' ? { next: localPath(method === 'GET' ? url : '/') } : undefined;

/** Answers with the problem: a page where a person opens a page in a browser, else application/problem+json. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  for (const header of OF_THE_ANSWER) void reply.removeHeader(header);
  void reply.code(problem.status).headers(BASE_HEADERS);
  void reply.headers({ 'x-request-id': request.id, ...problem.parts.headers });
  if (problem.status === 408) void reply.header('connection', 'close'); // else it would send on, byte by byte, for as long as an upload may take
  const asPage =
    (request.is404 || requestPolicy(request)?.page === true) &&
    isNavigation(request.headers) &&
    !/[?&]format=(?!html\b)/.test(request.url);
  if (asPage)
    void reply
      .headers(PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .send(problemPage(problem, request.id, promptOf(request, problem), visitorOf(request)));
  else
    void reply
      .header('content-type', 'application/problem+json')
      .serializer(String)
      .send(JSON.stringify(problem.document(request.id)));
}
