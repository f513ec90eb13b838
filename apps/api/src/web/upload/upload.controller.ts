import { randomUUID } from 'node:crypto';
import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { type Batch, BatchRepository } from '@donorlens/batches';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BATCH_TYPES } from '@donorlens/primitives';
import { identityOf } from '../../access/access.hook';
import { sessionUserOf } from '../../access/sessions';
import { ownBatch } from '../../batches/batch-presenter';
import { BatchSubmission } from '../../batches/batch-submission';
import { checkLength, formUpload, type Upload } from '../../batches/batch-upload';
import { batchUrl } from '../../batches/batch-wire';
import { firstFile } from '../../batches/multipart-file';
import { PreviewWriter } from '../../batches/preview-writer';
import { pinRelease } from '../../http/request-hooks';
import { problemOfLibraries } from '../../http/problem.filter';
import { isNavigation } from '../../http/media-types';
import { Problem } from '../../http/problem';
import { isGzipped, readBody } from '../../http/request-body';
import { Route } from '../../http/route-policy';
import { sendPage } from '../../http/send-page';
import { withAdvice, renderPreview, renderRepeatPage, renderUploadPage, type UploadChoices } from './upload-page';

const FORM = { 'multipart/form-data': z.object({ type: z.string().optional(), file: z.file() }) };
const REFUSALS = [
  ...(['malformed-body', 'unreadable-batch', 'body-too-large', 'stale-form', 'unavailable'] as const),
  ...(['no-donor-ages', 'no-geography'] as const),
] as const;

/** Uploads files from a browser form, with the same intake as for API clients. */
@Controller('upload')
export class UploadController {
  constructor(
    private readonly submission: BatchSubmission,
    private readonly previews: PreviewWriter,
    private readonly releases: ReleaseHolder,
  ) {}

  @Get()
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: 'The page to enrich a file.',
    answers: { 200: { description: 'A form.', content: { 'text/html': null } } },
  })
  show(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    const page = renderUploadPage({ user: sessionUserOf(request), choices: DEFAULT_CHOICES, token: newToken() });
    return sendPage(request, reply, page);
  }

  @Post('preview')
  @HttpCode(200)
  @Route({
    access: 'enrich:batch',
    page: true,
    form: true,
    summary: 'Previews how the uploaded file is read. Stores nothing.',
    body: FORM,
    answers: { 200: { description: 'The page; for its script, only the preview.', content: { 'text/html': null } } },
    problems: REFUSALS,
  })
  async preview(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const form = new UploadForm(request);
    return this.withFormOnError(form, request, reply, async () => {
      const release = pinRelease(this.releases, reply);
      const upload = await form.read();
      const preview = await this.previews.read(upload, identityOf(request), release);
      const shown = { preview, type: upload.type, filename: form.filename };
      const page = isNavigation(request.headers)
        ? renderUploadPage({ ...pageOf(form, request), preview: shown })
        : renderPreview(shown);
      return sendPage(request, reply, page);
    });
  }

  @Post('start')
  @HttpCode(303)
  @Route({
    access: 'enrich:batch',
    page: true,
    form: true,
    summary: 'Starts a batch of the file of the form.',
    body: FORM,
    answers: {
      202: {
        description: 'For the script: URL of the page of the batch.',
        content: { 'application/json': z.object({ location: z.string() }) },
      },
      303: { description: 'To the page of the batch.' },
    },
    problems: [...REFUSALS, 'idempotency-mismatch', 'quota-exceeded'],
  })
  async start(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const form = new UploadForm(request);
    return this.withFormOnError(form, request, reply, async () => {
      const release = pinRelease(this.releases, reply);
      const { source, minAge, ageBasis, ethnicityBasis, ...upload } = await form.read();
      const submission = { request, reply, release, minAge, ageBasis, ethnicityBasis, formToken: form.token };
      const { batch } = await this.submission.acceptForm(upload, source, submission);
      const location = `${batchUrl(batch.id)}?format=html`;
      void reply.header('location', location);
      if (isNavigation(request.headers)) return '';
      void reply.code(202).type('application/json');
      return { location };
    });
  }

  /** Shows a problem above the form, which keeps its choices. */
  private async withFormOnError<T>(
    form: UploadForm,
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<T>,
  ): Promise<T | string | Buffer> {
    try {
      return await work();
    } catch (error) {
      const problem = error instanceof Problem ? error : problemOfLibraries(error);
      if (problem === undefined) throw error;
      if (!isNavigation(request.headers) || problem.status === 401) throw withAdvice(problem);
      void reply.code(problem.status).headers({ ...problem.parts.headers });
      return sendPage(request, reply, renderUploadPage({ ...pageOf(form, request), problem: withAdvice(problem) }));
    }
  }
}

const pageOf = (form: UploadForm, request: FastifyRequest) => ({
  user: sessionUserOf(request),
  choices: form.choices,
  token: newToken(),
});

type Fields = Readonly<Record<string, string>>;

/** The multipart form: fields first, then the file. */
export class UploadForm {
  private fields: Fields = {};
  filename = '';

  constructor(private readonly request: FastifyRequest) {}

  /** @throws Problem 400 */
  async read(): Promise<Upload> {
    checkLength(this.request);
    isGzipped(this.request); // refuses other encodings
    const file = await firstFile(this.request);
    this.fields = file.fields;
    this.filename = file.filename;
    return formUpload(file);
  }

  /** The same token for each submission of one form. */
  get token(): string {
    return tokenOf(this.fields);
  }

  /** The fields read so far. */
  get choices(): UploadChoices {
    return choicesOf(this.fields);
  }
}

function tokenOf({ token = '' }: Fields): string {
  return /^[\w-]{8,64}$/.test(token) ? token : newToken();
}

function choicesOf(fields: Fields): UploadChoices {
  const { type, format = '', sheet = '', min_age: minAge = '' } = fields;
  const { age_basis: ageBasis = 'name', ethnicity_basis: ethnicityBasis = '' } = fields;
  const mapping = Object.entries(fields)
    .filter(([name, column]) => name.startsWith('map.') && column !== '')
    .map(([name, column]) => [name.slice('map.'.length), column] as const);
  return {
    type: BATCH_TYPES.find((one) => one === type) ?? 'contributions',
    format,
    sheet,
    ...{ minAge, ageBasis, ethnicityBasis },
    mapping: Object.fromEntries(mapping),
  };
}

const MAX_FORM = { maxBytes: 256 * 1024, containers: 100, values: 1000, advice: 'The form has options of a batch.' };

/** Repeats a completed batch with other options, from a browser form. */
@Controller('batches')
export class RepeatController {
  constructor(
    private readonly batches: BatchRepository,
    private readonly submission: BatchSubmission,
    private readonly releases: ReleaseHolder,
  ) {}

  @Get(':id/repeat')
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: 'The options with which a completed batch is repeated.',
    answers: {
      200: { description: 'A form.', content: { 'text/html': null } },
      303: { description: 'To the page of a batch that is not completed.' },
    },
    problems: ['not-found', 'unavailable'],
  })
  async show(@Param('id') id: string, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { batch } = await ownBatch(this.batches, request, id);
    if (batch.state !== 'completed') {
      void reply.code(303).header('location', `${batchUrl(batch.id)}?format=html`);
      return '';
    }
    const page = { user: sessionUserOf(request), batch, choices: storedChoices(batch), token: newToken() };
    return sendPage(request, reply, renderRepeatPage(page));
  }

  @Post(':id/repeat')
  @HttpCode(303)
  @Route({
    access: 'enrich:batch',
    page: true,
    form: true,
    summary: 'Repeats a completed batch with the options of the form.',
    body: { 'application/x-www-form-urlencoded': z.looseObject({ type: z.enum(BATCH_TYPES).optional() }) },
    answers: { 303: { description: 'To the page of the new batch.' } },
    problems: [...REFUSALS, 'not-found', 'batch-not-finished', 'expired', 'idempotency-mismatch', 'quota-exceeded'],
  })
  async start(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { batch } = await ownBatch(this.batches, request, id);
    const { token, ...fields } = Object.fromEntries(
      new URLSearchParams((await readBody(request, MAX_FORM)).toString()),
    );
    try {
      const release = pinRelease(this.releases, reply);
      const submission = { request, reply, release, formToken: tokenOf({ token }) };
      const { batch: next } = await this.submission.repeatForm(batch, fields, submission);
      void reply.header('location', `${batchUrl(next.id)}?format=html`);
      return '';
    } catch (error) {
      const problem = error instanceof Problem ? error : problemOfLibraries(error);
      if (problem === undefined || problem.status === 410 || problem.status === 409) throw problem ?? error;
      void reply.code(problem.status).headers({ ...problem.parts.headers });
      const page = { user: sessionUserOf(request), batch, choices: choicesOf(fields), token: newToken() };
      return sendPage(request, reply, renderRepeatPage({ ...page, problem: withAdvice(problem, true) }));
    }
  }
}

function storedChoices({ type, minAge, ageBasis, ethnicityBasis, mapping, columns }: Batch): UploadChoices {
  const named = Object.entries(mapping).map(([field, at]) => [field, columns?.[at] ?? ''] as const);
  return {
    ...{ ...DEFAULT_CHOICES, type, ethnicityBasis, minAge: minAge === null ? '' : String(minAge) },
    ageBasis: ageBasis === 'adult' ? 'name' : ageBasis,
    mapping: Object.fromEntries(named),
  };
}

export const newToken = (): string => randomUUID();

/** Defaults of the form. The minimum age for donors is a default of the page, not of the API. */
export const DEFAULT_CHOICES: UploadChoices = {
  ...{ type: 'contributions', format: '', sheet: '', mapping: {} },
  ...{ minAge: '18', ageBasis: 'name', ethnicityBasis: '' },
};
