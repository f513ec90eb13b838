import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem, type ProblemCode } from './problem';
import { type RouteTable } from './route-table';
import { sendProblem } from './send-problem';

/** Turns whatever was thrown, by us, Nest, Fastify or a library, into one problem document. */
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
      reply.raw.destroy(); // a stream broke half way: an abrupt end is the only honest sign left
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
      return new Problem('not-found', 'There is nothing at this address. /openapi.json lists every route.');
    const allow = methods.join(', ');
    return new Problem('method-not-allowed', `This address knows ${allow}.`, { headers: { allow } });
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
  415: ['unsupported-media-type', 'This content type is not read here.'],
  417: ['unknown-expectation', 'Expect: 100-continue is the one that is known.'],
  431: ['headers-too-large', 'The headers are too large.'],
  503: ['unavailable', 'The service is shutting down.'],
};

export function frameworkProblem(status: number): Problem {
  const [code, detail] = OF_FRAMEWORK[status] ?? (status >= 400 && status < 500 ? OF_FRAMEWORK[400] : INTERNAL);
  return new Problem(code, detail, status === 503 ? { headers: { 'retry-after': '5' } } : {});
}

const INTERNAL: readonly [ProblemCode, string] = ['internal', 'The fault is ours; it is logged under the instance id.'];
