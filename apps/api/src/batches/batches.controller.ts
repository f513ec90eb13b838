import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { BatchRepository, isPageMark } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { ReleaseHolder } from '@donorlens/reference-data';
import { addressSecretOf, webhookSecret } from '@donorlens/webhooks';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identityOf } from '../access/access.hook';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { pinRelease } from '../http/request-hooks';
import { BatchSubmission } from './batch-submission';
import {
  REPEAT_PARAMETERS,
  SUBMIT_HEADERS,
  UPLOAD_BODIES,
  UPLOAD_EXAMPLE,
  UPLOAD_PARAMETERS,
} from './batch-parameters';
import { ownBatch, unknownBatch, BatchPresenter } from './batch-presenter';
import { uploadOf } from './batch-upload';
import { batchSchema } from './batch-wire';
import { previewSchema, PreviewWriter } from './preview-writer';

@Controller('enrich/v1/batches')
export class BatchesController {
  constructor(
    private readonly batches: BatchRepository,
    private readonly submission: BatchSubmission,
    private readonly releases: ReleaseHolder,
    private readonly previews: PreviewWriter,
    private readonly presenter: BatchPresenter,
  ) {}

  @Post()
  @HttpCode(202)
  @Route({
    access: 'enrich:batch',
    summary: 'Sends a file or a list of queries as a batch. CSV and NDJSON are streamed, up to 2 GB uncompressed.',
    query: UPLOAD_PARAMETERS,
    headers: SUBMIT_HEADERS,
    body: UPLOAD_BODIES,
    example: UPLOAD_EXAMPLE,
    answers: {
      202: {
        description: 'Accepted and stored. The Location header has the URL of the batch.',
        content: { 'application/json': batchSchema },
      },
    },
    problems: [
      'malformed-body',
      'unreadable-batch',
      'body-too-large',
      'idempotency-in-flight',
      'idempotency-mismatch',
      'no-donor-ages',
      'no-geography',
      'quota-exceeded',
      'unavailable',
    ],
  })
  async submit(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const release = pinRelease(this.releases, reply);
    const { source, minAge, ageBasis, ethnicityBasis, ...upload } = await uploadOf(request);
    const submission = { request, reply, release, minAge, ageBasis, ethnicityBasis };
    return this.submission.submit(upload, source, submission);
  }

  @Post('preview')
  @HttpCode(200)
  @Route({
    access: 'enrich:batch',
    summary: 'How a file is read: its columns, their mapping, and its first rows with results. Stores nothing.',
    query: UPLOAD_PARAMETERS,
    body: UPLOAD_BODIES,
    example: UPLOAD_EXAMPLE,
    answers: { 200: { description: 'The first rows, enriched.', content: { 'application/json': previewSchema } } },
    problems: ['malformed-body', 'unreadable-batch', 'body-too-large', 'no-donor-ages', 'no-geography', 'unavailable'],
  })
  async preview(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const release = pinRelease(this.releases, reply);
    return this.previews.read(await uploadOf(request), identityOf(request), release);
  }

  @Get()
  @Route({
    access: 'enrich:batch',
    summary: "This key's batches, the newest first.",
    query: [
      { name: 'limit', description: 'Maximum number of batches.', schema: z.int().min(1).max(100).default(20) },
      { name: 'after', description: '`next` of the previous page.', schema: z.string() },
    ],
    answers: {
      200: {
        description: 'One page of batches; next is null on the last.',
        content: { 'application/json': z.object({ results: z.array(batchSchema), next: z.string().nullable() }) },
      },
    },
    problems: ['unavailable'],
  })
  async list(@Req() request: FastifyRequest): Promise<unknown> {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const limit = parameters.wholeNumber('limit', 1, 100) ?? 20;
    const after = parameters.text('after') ?? null;
    if (after !== null && !isPageMark(after)) parameters.addFault('after', 'must be `next` of the page before');
    parameters.finish();
    const { batches, next } = await this.batches.list(identityOf(request).id, { limit, after });
    return { results: await this.presenter.all(batches), next };
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @Route({
    access: 'enrich:batch',
    summary: 'Cancels a batch. Results of processed rows stay readable.',
    answers: { 202: { description: 'Cancelling, or already ended.', content: { 'application/json': batchSchema } } },
    problems: ['not-found', 'unavailable'],
  })
  async cancel(@Param('id') id: string, @Req() request: FastifyRequest): Promise<unknown> {
    const { batch } = await ownBatch(this.batches, request, id);
    const cancelled = await this.batches.cancel(identityOf(request).id, batch.id);
    return this.presenter.present(cancelled ?? batch);
  }

  @Post(':id/repeat')
  @HttpCode(202)
  @Route({
    access: 'enrich:batch',
    summary:
      'Enriches the stored rows of a completed batch again, as another batch, without the file. Options that are not given stay as they were; min_age and age_basis are replaced together.',
    query: REPEAT_PARAMETERS,
    headers: SUBMIT_HEADERS,
    answers: {
      202: {
        description: 'Accepted and stored. The Location header has the URL of the batch.',
        content: { 'application/json': batchSchema },
      },
    },
    problems: [
      'not-found',
      'batch-not-finished',
      'expired',
      'unreadable-batch',
      'idempotency-in-flight',
      'idempotency-mismatch',
      'no-donor-ages',
      'no-geography',
      'quota-exceeded',
      'unavailable',
    ],
  })
  async repeat(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const release = pinRelease(this.releases, reply);
    const { batch } = await ownBatch(this.batches, request, id);
    const query = request.query as QueryParameters;
    return this.submission.answer(await this.submission.repeat(batch, query, { request, reply, release }), reply);
  }

  @Delete(':id')
  @HttpCode(204)
  @Route({
    access: 'enrich:batch',
    summary: 'Erases a batch: input, results and counts, now.',
    answers: { 204: { description: 'Erased.' } },
    problems: ['not-found', 'unavailable'],
  })
  async delete(@Param('id') id: string, @Req() request: FastifyRequest): Promise<void> {
    const { batch, owner } = await ownBatch(this.batches, request, id);
    if (!(await this.batches.delete(owner, batch.id))) throw unknownBatch();
  }
}

/** The secret that signs the messages to the webhooks of a key. */
@Controller('enrich/v1/webhook-secret')
export class WebhookSecretController {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'addressSecret'>) {}

  @Get()
  @Route({
    access: 'enrich:batch',
    summary: 'The secret with which messages about batches of this key are signed, after Standard Webhooks.',
    answers: {
      200: {
        description: 'The same for as long as the key exists.',
        content: { 'application/json': z.object({ secret: z.string() }) },
      },
    },
  })
  secret(@Req() request: FastifyRequest): { secret: string } {
    return { secret: webhookSecret(addressSecretOf(this.config), identityOf(request).id) };
  }
}
