import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { IntakeError, ResultsGoneError, ResultsNotReadyError } from '@donorlens/batches';
import { isTransientDatabaseError } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { Problem, type ProblemCode } from './problem';
import { type RouteTable } from './route-policy';
import { BASE_HEADERS } from './request-hooks';
import { pageHeadersOf } from './send-page';
import { acceptsOnlyHtml, isNavigation } from './media-types';

/** Converts every error of handlers, Nest, Fastify and libraries to a problem document. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly away: ErrorLog;

  constructor(
    private readonly routes: RouteTable,
    private readonly translate: (error: unknown) => Problem | undefined,
    private readonly logger: Logger,
  ) {
    this.away = new ErrorLog(logger, 'requests answered with 503');
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = this.problemOf(error, request);
    if (problem.status >= 500 && problem.code === 'internal')
      this.logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed');
    if (reply.raw.headersSent) {
      reply.raw.destroy(); // a stream failed after its headers, so only an aborted connection can report it
      return;
    }
    sendProblem(request, reply, problem);
  }

  private problemOf(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Problem) return error;
    const known = this.translate(error);
    if (known?.code === 'unavailable') this.away.report(error);
    if (known) return known;
    const status = statusOf(error);
    if (status === 404 || request.is404) return this.unknownRoute(request);
    return frameworkProblem(status);
  }

  private unknownRoute(request: FastifyRequest): Problem {
    const methods = this.routes.methodsOf(request.url.split('?', 1)[0]);
    if (methods.length === 0 || methods.includes(request.method))
      return new Problem('not-found', 'This URL does not exist. /openapi.json lists every route.');
    const allow = methods.join(', ');
    return new Problem('method-not-allowed', `This URL accepts only ${allow}.`, { headers: { allow } });
  }
}

const statusOf = (error: unknown): number => {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
};

const OF_FRAMEWORK: Readonly<Record<number, readonly [ProblemCode, string]>> = {
  400: ['invalid-request', 'The request cannot be read.'],
  408: ['request-timeout', 'The request took too long to arrive.'],
  413: ['body-too-large', 'The body is too large.'],
  414: ['url-too-long', 'The URL is too long.'],
  415: ['unsupported-media-type', 'This content type is not supported.'],
  417: ['unknown-expectation', 'Only Expect: 100-continue is supported.'],
  431: ['headers-too-large', 'The headers are too large.'],
  503: ['unavailable', 'The service is shutting down. Send the request again in a few seconds.'],
};

export function frameworkProblem(status: number): Problem {
  const [code, detail] = OF_FRAMEWORK[status] ?? (status >= 400 && status < 500 ? OF_FRAMEWORK[400] : INTERNAL);
  return new Problem(code, detail, status === 503 ? { headers: { 'retry-after': '5' } } : {});
}

const INTERNAL: readonly [ProblemCode, string] = [
  'internal',
  'Internal error; the log has the details under the instance id.',
];

const CODE_OF_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: 'unreadable-batch',
  408: 'request-timeout',
  409: 'idempotency-in-flight',
  413: 'body-too-large',
  422: 'idempotency-mismatch',
  429: 'quota-exceeded',
  503: 'unavailable',
};

const DAY_SECONDS = 86_400;

/** Value of Retry-After in seconds. */
function retryAfter({ status }: IntakeError, now: Date): number | undefined {
  if (status === 409) return 1;
  if (status === 503) return 5;
  if (status !== 429) return undefined;
  return DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS); // quotas reset at midnight UTC
}

/** Maps errors of libs/ to problems. */
export function problemOfLibraries(error: unknown, now = new Date()): Problem | undefined {
  if (error instanceof IntakeError) {
    const seconds = retryAfter(error, now);
    return new Problem(CODE_OF_STATUS[error.status] ?? 'unreadable-batch', error.message, {
      members: { reason: error.code, ...error.values },
      ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
    });
  }
  if (error instanceof ResultsNotReadyError)
    return error.code === 'expired'
      ? new Problem('expired', 'The rows were erased when the batch expired.')
      : new Problem('batch-not-finished', 'Only a completed batch has all results.');
  if (error instanceof ResultsGoneError) return new Problem('expired', 'The rows were erased while they were read.');
  if (!isTransientDatabaseError(error)) return undefined;
  const what = isFull(error) ? 'The database has no room for this now.' : 'The database does not answer.';
  return new Problem('unavailable', `${what} Send the request again in a few seconds; operators see /ops.`, {
    headers: { 'retry-after': '5' },
  });
}

/** True if Postgres has run out of disk, memory or connections. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('53');

/** Headers of a successful response, which are removed if it fails later. */
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

const isPageRequest = ({ headers }: FastifyRequest): boolean => acceptsOnlyHtml(headers) || isNavigation(headers);

/** Sends a problem as a page to browsers and clients that accept only HTML, otherwise as application/problem+json. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  for (const header of SUCCESS_HEADERS) void reply.removeHeader(header);
  void reply.code(problem.status).headers(BASE_HEADERS);
  void reply.headers({ 'x-request-id': request.id, ...problem.parts.headers });
  if (problem.status === 408) void reply.header('connection', 'close'); // the body may be unfinished
  const { problemPage } = request.server;
  if (problemPage !== undefined && isPageRequest(request))
    void reply.headers(pageHeadersOf(request)).type('text/html; charset=utf-8').send(problemPage(request, problem));
  else
    void reply
      .header('content-type', 'application/problem+json')
      .serializer(String)
      .send(JSON.stringify(problem.document(request.id)));
}
