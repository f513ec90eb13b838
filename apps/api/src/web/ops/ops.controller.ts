import { Controller, Get, Inject, Post, Redirect, Req, Res } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import {
  OPS_ACTIONS,
  type OpsAction,
  OperatorRequestError,
  OperatorRequests,
  serverAddresses,
} from '@donorlens/operations';
import { CallProducer, ChunkProducer } from '@donorlens/queues';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identityOf } from '../../access/access.hook';
import { sessionUserOf } from '../../access/sessions';
import { Problem } from '../../http/problem';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { Route } from '../../http/route-policy';
import { awaitShared } from '../../http/request-scheduling';
import { sendPage } from '../../http/send-page';
import { MAX_LISTED_JOBS, renderJobsPage } from './jobs-page';
import { renderOpsPage } from './ops-page';
import { OpsSnapshots } from '../../ops/ops-snapshot';
import { opsSchema, opsJson } from '../../ops/ops-json';

const FORMATS = ['html', 'json'] as const;
const REQUEST = /^\d{1,18}$/;
const TARGETS = ['queue', 'source', 'outcome', 'batch'] as const;

/** The operations console as a page and as JSON, the list of jobs, and operator requests. */
@Controller('ops')
export class OpsController {
  constructor(
    private readonly snapshots: OpsSnapshots,
    private readonly requests: OperatorRequests,
    private readonly chunks: ChunkProducer,
    private readonly calls: CallProducer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @Route({
    access: 'ops',
    page: true,
    summary:
      'The state of the whole service: queues and why they have stopped, processes, batches, geocoder, data, audit.',
    query: [
      {
        name: 'format',
        description: 'html (default) or json.',
        schema: z.enum(FORMATS).default('html'),
        example: 'json',
      },
      {
        name: 'asked',
        description: 'ID of an operator request whose state the page shows.',
        schema: z.string().regex(REQUEST),
      },
    ],
    answers: {
      200: {
        description: 'The current state; while the database is unavailable, the last known state.',
        content: { 'text/html': null, 'application/json': opsSchema },
      },
    },
    problems: ['unavailable'],
  })
  async page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const format = parameters.oneOf('format', FORMATS);
    const requestId = parameters.text('asked') ?? null;
    if (requestId !== null && !REQUEST.test(requestId)) parameters.addFault('asked', 'must be the number of a request');
    parameters.finish();
    const snapshot = await awaitShared(this.snapshots.current(), request);
    if (format === 'json') return opsJson(snapshot, new Date());
    const user = sessionUserOf(request);
    return sendPage(request, reply, renderOpsPage({ snapshot, now: new Date(), user, requestId }));
  }

  @Get('queues')
  @Route({
    access: 'ops',
    page: true,
    summary: 'Active and waiting jobs of each queue.',
    answers: { 200: { description: 'A page for people.', content: { 'text/html': null } } },
  })
  async jobs(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const [enrich, geocode] = await Promise.all([this.chunks, this.calls].map((queue) => queue.list(MAX_LISTED_JOBS)));
    const page = renderJobsPage({
      queues: { enrich, geocode },
      server: serverAddresses(this.config).queue,
      now: new Date(),
      user: sessionUserOf(request),
    });
    return sendPage(request, reply, page);
  }

  @Post('ask')
  @Redirect('', 303)
  @Route({
    access: 'ops',
    page: true,
    form: true,
    summary:
      'Submits an operator request. The leader starts it within a second, unless a request of the same kind is running.',
    query: [
      { name: 'action', description: `One of ${OPS_ACTIONS.join(', ')}.`, schema: z.enum(OPS_ACTIONS) },
      { name: 'queue', description: 'Of pause, resume and redrive: enrich or geocode.', schema: z.string() },
      { name: 'source', description: 'Of refresh: reference-data, fec, filings or charts.', schema: z.string() },
      { name: 'outcome', description: 'Of retry-addresses: ERROR.', schema: z.string() },
      { name: 'batch', description: 'Of cancel-batch: its id.', schema: z.string() },
    ],
    answers: { 303: { description: 'To the page, which shows the state of the request.' } },
    problems: ['stale-form', 'unavailable'],
  })
  async submit(@Req() request: FastifyRequest): Promise<{ url: string }> {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const action = parameters.oneOf('action', OPS_ACTIONS);
    if (action === undefined) parameters.addFault('action', `must be one of ${OPS_ACTIONS.join(', ')}`);
    const target = Object.fromEntries(TARGETS.map((name) => [name, parameters.text(name)]));
    parameters.finish();
    const id = await this.requests
      .submit(action as OpsAction, target, identityOf(request).name)
      .catch((error: unknown) => {
        throw error instanceof OperatorRequestError ? new Problem('invalid-request', `${error.message}.`) : error;
      });
    this.snapshots.invalidate();
    return { url: `/ops?asked=${id}` };
  }
}
