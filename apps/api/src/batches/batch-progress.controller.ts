import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Controller, Get, Param, Req, Res, StreamableFile } from '@nestjs/common';
import { type Batch, BatchRepository, FirstErrors } from '@donorlens/batches';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { visitorOf } from '../access/visitor';
import { preferredType } from '../http/media-types';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { format } from '../lookups/parameters';
import { SHOWN_ERRORS } from '../pages/batch-errors';
import { renderBatchPage } from '../pages/batch-page';
import { sendPage } from '../pages/send-page';
import { batchSchema, FINAL_STATES } from './batch-wire';
import { BatchWires } from './batch-wires';
import { ownBatch } from './own-batch';
import { progressEvents } from './progress-events';

const TYPES = { json: 'application/json', html: 'text/html', sse: 'text/event-stream' } as const;
const FORMATS = ['json', 'html', 'sse'] as const;

@Controller('enrich/v1/batches')
export class BatchProgressController implements BeforeApplicationShutdown {
  private readonly closing = new AbortController();

  constructor(
    private readonly batches: BatchRepository,
    private readonly wires: BatchWires,
    private readonly errors: FirstErrors,
  ) {}

  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  @Get(':id')
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: 'How far a batch is: as JSON, as a page, or as server-sent events until it ends.',
    query: [format(...FORMATS)],
    answers: {
      200: {
        description: 'State, counts, both stages, outcomes of addresses, rate and estimated end.',
        content: { 'application/json': batchSchema, 'text/html': null, 'text/event-stream': null },
      },
    },
    problems: ['not-found', 'unavailable'],
  })
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const wished = parameters.oneOf('format', FORMATS);
    parameters.finish();
    const { batch, owner } = await ownBatch(this.batches, request, id);
    const type = wished ? TYPES[wished] : preferredType(request.headers.accept, [TYPES.json, TYPES.html, TYPES.sse]);
    void reply.headers({ vary: 'Accept', 'data-version': batch.releaseId });
    if (!FINAL_STATES.has(batch.state)) void reply.header('retry-after', '1');
    if (type === TYPES.html) return this.page(batch, request, reply);
    if (type === TYPES.sse) return this.events(batch, owner, reply);
    return this.wires.of(batch);
  }

  private async page(batch: Batch, request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
    const { apiKey } = request.query as QueryParameters;
    const [wire, errors] = await Promise.all([this.wires.of(batch), this.errors.of(batch, SHOWN_ERRORS)]);
    const page = renderBatchPage({
      batch: wire,
      name: batch.name,
      errors,
      visitor: visitorOf(request),
      apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    });
    return sendPage(request, reply, page);
  }

  private events(batch: Batch, owner: string, reply: FastifyReply): StreamableFile {
    void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    const events = progressEvents(
      () => this.batches.get(owner, batch.id),
      (newest) => this.wires.of(newest),
      this.closing.signal,
    );
    return new StreamableFile(Readable.from(events, { objectMode: false }));
  }
}
