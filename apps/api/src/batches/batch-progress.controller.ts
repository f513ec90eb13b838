import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Controller, Get, Param, Req, Res, StreamableFile } from '@nestjs/common';
import {
  type Batch,
  BatchRepository,
  BatchSummaries,
  type BatchSummary,
  type ErrorRow,
  FirstErrors,
  isFinal,
} from '@donorlens/batches';
import { ReleaseHolder } from '@donorlens/reference-data';
import { DeliveryRepository, type WebhookStatus } from '@donorlens/webhooks';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type SessionUser, sessionUserOf } from '../access/sessions';
import { preferredType } from '../http/media-types';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { format } from '../schemas/parameters';
import { sendPage } from '../http/send-page';
import { summaryTables } from './batch-areas';
import { batchSchema, type BatchWire } from './batch-wire';
import { BatchPresenter, ownBatch } from './batch-presenter';

const TYPES = { json: 'application/json', html: 'text/html', sse: 'text/event-stream' } as const;
const FORMATS = ['json', 'html', 'sse'] as const;
const EVENT_INTERVAL_MS = 1_000;
/** Maximum duration of an event stream, in case a disconnect was not detected. An active client reconnects. */
const MAX_STREAM_MS = 15 * 60_000;

/** Options of the estimates of a batch. */
export type EstimateOptions = Pick<Batch, 'minAge' | 'ageBasis' | 'ethnicityBasis'>;

export interface BatchPageProps {
  readonly batch: BatchWire;
  /** Name of the uploaded file. */
  readonly name?: string | null;
  readonly options?: EstimateOptions | null;
  /** The API key, only if the URL contains it. Links on the page repeat it. */
  readonly apiKey?: string;
  readonly user?: SessionUser | null;
  /** The first invalid and failed rows, at most `maxErrors`. */
  readonly errors?: readonly ErrorRow[];
  /** Summary of a completed batch; null if it cannot be read. */
  readonly summary?: BatchSummary | null;
  /** Null if the batch has no webhook. */
  readonly webhook?: WebhookStatus | null;
}

/** The page of one batch; the web module provides it. */
export abstract class BatchPageRenderer {
  abstract readonly maxErrors: number;
  abstract render(props: BatchPageProps): string;
}

@Controller('enrich/v1/batches')
export class BatchProgressController implements BeforeApplicationShutdown {
  private readonly closing = new AbortController();

  constructor(
    private readonly batches: BatchRepository,
    private readonly presenter: BatchPresenter,
    private readonly errors: FirstErrors,
    private readonly summaries: BatchSummaries,
    private readonly releases: ReleaseHolder,
    private readonly deliveries: DeliveryRepository,
    private readonly pages: BatchPageRenderer,
  ) {}

  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  @Get(':id')
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: 'Progress of a batch: as JSON, as a page, or as server-sent events until it ends.',
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
    if (!isFinal(batch.state)) void reply.header('retry-after', '1');
    if (type === TYPES.html) return this.page(batch, request, reply);
    if (type === TYPES.sse) return this.events(batch, owner, reply);
    return this.presenter.present(batch);
  }

  private async page(batch: Batch, request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
    const { apiKey } = request.query as QueryParameters;
    const [wire, errors, summary, webhook] = await Promise.all([
      this.presenter.present(batch),
      this.errors.find(batch, this.pages.maxErrors),
      batch.state === 'completed' ? this.summaryOf(batch).catch(() => null) : null,
      this.deliveries.statusOf(batch.id),
    ]);
    const page = this.pages.render({
      batch: wire,
      name: batch.name,
      options: batch,
      errors,
      summary,
      webhook,
      user: sessionUserOf(request),
      apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    });
    return sendPage(request, reply, page);
  }

  private async summaryOf(batch: Batch): Promise<BatchSummary> {
    return this.summaries.load(batch, summaryTables(batch, await this.releases.get(batch.releaseId)));
  }

  private events(batch: Batch, owner: string, reply: FastifyReply): StreamableFile {
    void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    const events = progressEvents(
      () => this.batches.get(owner, batch.id),
      (newest) => this.presenter.present(newest),
      this.closing.signal,
    );
    return new StreamableFile(Readable.from(events, { objectMode: false }));
  }
}

/**
 * Server-sent events: the state of the batch each second, and a last event when the batch has ended.
 * @param write - converts the batch to its JSON form
 * @param stop - aborted when this process shuts down; the client then reconnects to another process
 */
async function* progressEvents(
  read: () => Promise<Batch | null>,
  write: (batch: Batch) => Promise<BatchWire>,
  stop: AbortSignal,
): AsyncGenerator<string> {
  const until = performance.now() + MAX_STREAM_MS;
  while (performance.now() < until && !stop.aborted) {
    const batch = await read();
    if (batch === null) {
      yield 'event: deleted\ndata: {}\n\n';
      return;
    }
    const ended = isFinal(batch.state);
    yield `event: ${ended ? 'end' : 'progress'}\ndata: ${JSON.stringify(await write(batch))}\n\n`;
    if (ended) return;
    await sleep(EVENT_INTERVAL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
