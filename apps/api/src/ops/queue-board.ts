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
import { OpsRequests, serverPlaces } from '@donorlens/operations';
import { QUEUES } from '@donorlens/queues';
import { identityOf } from '../access/access.hook';
import { visitorOf } from '../access/visitor';
import { Problem } from '../http/problem';
import { frameworkProblem } from '../http/problem.filter';
import { type RoutePolicy } from '../http/route-policy';
import { sendProblem } from '../http/send-problem';
import { BOARD_POLICY, boardPage } from './board-page';

const PATH = '/ops/queues';
const SAFE = ['GET', 'HEAD'];
const PAUSING = ['pause', 'resume'];
/** Its answers are for its own page. */
const POLICY: RoutePolicy = {
  access: 'ops',
  page: true,
  form: true,
  summary: "Jobs as the queue's server has them.",
  answers: { 200: { description: 'A page, or a part of one.', content: { 'text/html': null } } },
};

/** Bull-board behind the operators' door: it shows single jobs, and changes them only where QUEUE_CONSOLE says full. */
@Injectable()
export class QueueBoard implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    @InjectQueue(QUEUES.enrich) private readonly enrich: Queue,
    @InjectQueue(QUEUES.geocode) private readonly geocode: Queue,
    @Inject(CONFIG) private readonly config: Pick<Config, 'queueConsole' | 'databaseUrl' | 'redisUrl' | 'queueBackend'>,
    private readonly requests: OpsRequests,
  ) {}

  /**
   * After the hooks that look at every request, and before Nest adds its own routes. Not waited for: that would have the
   * server make those routes ready one by one, before it knows who answers for their faults.
   */
  onModuleInit(): void {
    const readOnlyMode = this.config.queueConsole !== 'full';
    const adapter = new FastifyAdapter().setBasePath(PATH);
    createBullBoard({
      queues: [this.enrich, this.geocode].map((queue) => new BullMQAdapter(queue, { readOnlyMode })),
      // The adapter brings a copy of the library of another patch version: the same but for its private fields.
      serverAdapter: adapter as unknown as IServerAdapter,
      options: { uiConfig: { boardTitle: 'donorlens queues', hideDocsLink: true } },
    });
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    void fastify.register(
      (scope, options, done) => {
        guard(scope, (request) => this.admit(request), serverPlaces(this.config).queue);
        adapter.registerPlugin()(doors(scope), options, done);
      },
      { prefix: PATH },
    );
  }

  /** Nothing is changed that is not written down first. @throws Problem where it must not be changed here */
  private async admit(request: FastifyRequest): Promise<void> {
    if (SAFE.includes(request.method)) return;
    if (this.config.queueConsole !== 'full')
      throw notHere('Jobs are only shown here: QUEUE_CONSOLE=full lets operators change them.');
    const { action, about } = changeOf(request);
    if (PAUSING.includes(action))
      throw notHere('Queues are paused and resumed at /ops, which keeps them so: it would undo what is done here.');
    await this.requests.record(identityOf(request).name, `queues.${action}`, about).catch(() => {
      throw new Problem(
        'unavailable',
        'The database does not answer: nothing was changed, since it writes down who changed it.',
        {
          headers: { 'retry-after': '5' },
        },
      );
    });
  }
}

const notHere = (detail: string): Problem =>
  new Problem('method-not-allowed', detail, { headers: { allow: SAFE.join(', ') } });

/** `…/api/queues/:queueName/:jobId/retry` is retry, about a queue and a job. */
function changeOf({ routeOptions, params }: FastifyRequest): { readonly action: string; readonly about: object } {
  const path = routeOptions.url?.slice(`${PATH}/api/`.length).replace(/^queues\//, '') ?? '';
  const action = path.split('/').filter((part) => !part.startsWith(':'));
  return { action: action.join(' '), about: Object(params) as object };
}

/** Every route in here has the policy, whoever adds it; the page gets our head and our rules for what it may load. */
function guard(scope: FastifyInstance, admit: (request: FastifyRequest) => Promise<void>, place: string): void {
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
  scope.addHook('preHandler', admit);
  scope.setErrorHandler((error, request, reply) => sendProblem(request, reply, problemOf(error, place)));
  scope.addHook('onSend', (request, reply, payload, done) => done(null, asOurs(request, reply, payload)));
}

function asOurs(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html') && reply.statusCode === 200;
  if (!isPage || typeof payload !== 'string') return payload;
  void reply.header('content-security-policy', BOARD_POLICY).removeHeader('content-length');
  return boardPage(payload, visitorOf(request)?.csrf ?? '');
}

/** What the plugin may do with our server. Its faults end as all others do, so its own handler of faults is left out. */
function doors(scope: FastifyInstance): FastifyInstance {
  const given = {
    register: scope.register.bind(scope),
    route: scope.route.bind(scope),
    setErrorHandler: () => scope,
  };
  return given as unknown as FastifyInstance; // the plugin uses these three
}

/** What is no fault of the request is the queue's server, the one thing that is asked in here. */
function problemOf(error: unknown, place: string): Problem {
  if (error instanceof Problem) return error;
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode < 500) return frameworkProblem(statusCode);
  const words =
    `The server that holds the jobs does not answer at ${place}: start it, or mend the way to it. ` +
    'Nothing is lost, jobs are added again once it answers.';
  return new Problem('unavailable', words, { headers: { 'retry-after': '5' } });
}
