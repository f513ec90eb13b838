import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { type IServerAdapter } from '@bull-board/api/typings/app';
import { FastifyAdapter } from '@bull-board/fastify';
import { type Queue } from 'bullmq';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '@donorlens/config';
import { OperatorRequests, serverAddresses } from '@donorlens/operations';
import { QUEUES } from '@donorlens/queues';
import { identityOf } from '../../access/access.hook';
import { sessionUserOf } from '../../access/sessions';
import { Problem } from '../../http/problem';
import { frameworkProblem, sendProblem } from '../../http/problem.filter';
import { type RoutePolicy } from '../../http/route-policy';
import { scriptPath } from '../assets/assets';

const PATH = '/ops/queues';
const SAFE = ['GET', 'HEAD'];
const PAUSE_ACTIONS = ['pause', 'resume'];
const POLICY: RoutePolicy = {
  access: 'ops',
  page: true,
  form: true,
  summary: "Jobs as the queue's server has them.",
  answers: { 200: { description: 'A page, or a part of one.', content: { 'text/html': null } } },
};

/** Bull Board for keys with the scope ops. It shows jobs, and changes them only with QUEUE_CONSOLE=full. */
@Injectable()
export class QueueBoard implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    @InjectQueue(QUEUES.enrich) private readonly enrich: Queue,
    @InjectQueue(QUEUES.geocode) private readonly geocode: Queue,
    @Inject(CONFIG) private readonly config: Pick<Config, 'queueConsole' | 'databaseUrl' | 'redisUrl' | 'queueBackend'>,
    private readonly requests: OperatorRequests,
  ) {}

  /**
   * Registered after the request hooks and before the routes of Nest. Not awaited: awaiting would make Fastify load the
   * routes before its error handler is set.
   */
  onModuleInit(): void {
    const readOnlyMode = this.config.queueConsole !== 'full';
    const adapter = new FastifyAdapter().setBasePath(PATH);
    createBullBoard({
      queues: [this.enrich, this.geocode].map((queue) => new BullMQAdapter(queue, { readOnlyMode })),
      // The adapter depends on another patch version of the library, which differs only in private fields.
      serverAdapter: adapter as unknown as IServerAdapter,
      options: { uiConfig: { boardTitle: 'donorlens queues', hideDocsLink: true } },
    });
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    void fastify.register(
      (scope, options, done) => {
        guard(scope, (request) => this.authorizeAndRecord(request), serverAddresses(this.config).queue);
        adapter.registerPlugin()(restrictedScope(scope), options, done);
      },
      { prefix: PATH },
    );
  }

  /** Records each change in the audit log before it is made. @throws Problem if the change is not permitted here */
  private async authorizeAndRecord(request: FastifyRequest): Promise<void> {
    if (SAFE.includes(request.method)) return;
    if (this.config.queueConsole !== 'full')
      throw notPermitted('Jobs are read-only here: set QUEUE_CONSOLE=full to change them.');
    const { action, about } = changeOf(request);
    if (PAUSE_ACTIONS.includes(action))
      throw notPermitted('Queues are paused and resumed at /ops: a change here would be undone.');
    await this.requests.record(identityOf(request).name, `queues.${action}`, about).catch(() => {
      throw new Problem(
        'unavailable',
        'The database does not answer. Nothing was changed, because the change could not be recorded in the audit log.',
        {
          headers: { 'retry-after': '5' },
        },
      );
    });
  }
}

const notPermitted = (detail: string): Problem =>
  new Problem('method-not-allowed', detail, { headers: { allow: SAFE.join(', ') } });

/** `…/api/queues/:queueName/:jobId/retry` is the action retry of a queue and a job. */
function changeOf({ routeOptions, params }: FastifyRequest): { readonly action: string; readonly about: object } {
  const path = routeOptions.url?.slice(`${PATH}/api/`.length).replace(/^queues\//, '') ?? '';
  const action = path.split('/').filter((part) => !part.startsWith(':'));
  return { action: action.join(' '), about: Object(params) as object };
}

/** Applies the route policy, the audit and the content security policy to every route of the plugin. */
function guard(
  scope: FastifyInstance,
  authorizeAndRecord: (request: FastifyRequest) => Promise<void>,
  place: string,
): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, policy: POLICY };
  });
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text) || '{}'));
    } catch {
      done(new Problem('malformed-body', 'The body is not JSON.'));
    }
  });
  scope.addHook('preHandler', authorizeAndRecord);
  scope.setErrorHandler((error, request, reply) => sendProblem(request, reply, problemOf(error, place)));
  scope.addHook('onSend', (request, reply, payload, done) => done(null, withPolicy(request, reply, payload)));
}

function withPolicy(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html') && reply.statusCode === 200;
  if (!isPage || typeof payload !== 'string') return payload;
  void reply.header('content-security-policy', BOARD_POLICY).removeHeader('content-length');
  return boardPage(payload, sessionUserOf(request)?.csrf ?? '');
}

/** The methods that the plugin uses, but its error handler is ignored: its errors become problem documents. */
function restrictedScope(scope: FastifyInstance): FastifyInstance {
  const given = {
    register: scope.register.bind(scope),
    route: scope.route.bind(scope),
    setErrorHandler: () => scope,
  };
  return given as unknown as FastifyInstance;
}

/** An error that the client did not cause comes from the queue server, the only server that the plugin calls. */
function problemOf(error: unknown, place: string): Problem {
  if (error instanceof Problem) return error;
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode < 500) return frameworkProblem(statusCode);
  const detail =
    `The queue server does not answer at ${place}: start it, or check the connection. ` +
    'No data is lost: jobs are re-enqueued once it answers.';
  return new Problem('unavailable', detail, { headers: { 'retry-after': '5' } });
}

/** Hash of an inline style of the installed version; with another version that style is missing. */
const INLINE_STYLE = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='";

/** Content-Security-Policy: only files of this service. */
export const BOARD_POLICY =
  `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' ${INLINE_STYLE}; ` +
  "img-src 'self' data:; font-src 'self'; " +
  "base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

const FOREIGN_LINK = /<link[^>]+href="https?:[^>]*>/g;
const SPLASH = /<div id="root">[\s\S]*?<\/style>\s*<\/div>/;

/**
 * The page of Bull Board without links to other hosts and without inline styles. A script of this service runs first
 * and adds the CSRF token of the session to the requests of the page.
 */
export const boardPage = (html: string, csrf: string): string =>
  html
    .replace(FOREIGN_LINK, '')
    .replace(SPLASH, '<div id="root">Loading</div>')
    .replace(
      '<head>',
      `<head><meta name="csrf" content="${csrf}"><script src="${scriptPath('queue-board')}"></script>`,
    );
