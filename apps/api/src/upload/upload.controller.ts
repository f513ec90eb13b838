import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identityOf } from '../access/access.hook';
import { visitorOf } from '../access/visitor';
import { BatchSubmission } from '../batches/batch-submission';
import { PreviewWriter } from '../batches/preview-writer';
import { problemOfLibraries } from '../http/library-faults';
import { isNavigation } from '../http/media-types';
import { Problem } from '../http/problem';
import { Route } from '../http/route-policy';
import { pinRelease } from '../lookups/lookup-request';
import { sendPage } from '../pages/send-page';
import { advised } from '../pages/upload-fault';
import { renderPreview, renderUploadPage } from '../pages/upload-page';
import { newToken, NO_CHOICES, UploadForm } from './upload-form';

const FORM = { 'multipart/form-data': z.object({ type: z.string().optional(), file: z.file() }) };
const REFUSALS = ['malformed-body', 'unreadable-batch', 'body-too-large', 'stale-form', 'unavailable'] as const;

/** A file, from a person's browser: the same intake as for programs, behind a form. */
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
    const page = renderUploadPage({ visitor: visitorOf(request), choices: NO_CHOICES, token: newToken() });
    return sendPage(request, reply, page);
  }

  @Post('preview')
  @HttpCode(200)
  @Route({
    access: 'enrich:batch',
    page: true,
    form: true,
    summary: 'What the file of the form would be read as, as a page. Stores nothing.',
    body: FORM,
    answers: { 200: { description: 'The page, or for its script its part.', content: { 'text/html': null } } },
    problems: REFUSALS,
  })
  async preview(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const form = new UploadForm(request);
    return this.orForm(form, request, reply, async () => {
      const release = pinRelease(this.releases, reply);
      const upload = await form.read();
      const preview = await this.previews.of(upload, identityOf(request), release);
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
        description: 'For the script of the page: where the page of the batch is.',
        content: { 'application/json': z.object({ location: z.string() }) },
      },
      303: { description: 'To the page of the batch.' },
    },
    problems: [...REFUSALS, 'idempotency-mismatch', 'quota-exceeded'],
  })
  async start(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const form = new UploadForm(request);
    return this.orForm(form, request, reply, async () => {
      const release = pinRelease(this.releases, reply);
      const { source, minAge, ...upload } = await form.read();
      const submission = { request, reply, release, minAge, formToken: form.token };
      const { batch } = await this.submission.acceptForm(upload, source, submission);
      const location = `/enrich/v1/batches/${batch.id}?format=html`;
      void reply.header('location', location);
      if (isNavigation(request.headers)) return '';
      void reply.code(202).type('application/json');
      return { location };
    });
  }

  /** What is wrong with a file is said above the form, whose choices stay. */
  private async orForm<T>(
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
      if (!isNavigation(request.headers) || problem.status === 401) throw advised(problem);
      void reply.code(problem.status).headers({ ...problem.parts.headers });
      return sendPage(request, reply, renderUploadPage({ ...pageOf(form, request), problem: advised(problem) }));
    }
  }
}

const pageOf = (form: UploadForm, request: FastifyRequest) => ({
  visitor: visitorOf(request),
  choices: form.choices,
  token: newToken(),
});
