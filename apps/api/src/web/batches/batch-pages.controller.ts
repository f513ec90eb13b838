import { Controller, Get, Param, Post, Redirect, Req, Res } from '@nestjs/common';
import { BatchRepository, isPageMark } from '@donorlens/batches';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identityOf } from '../../access/access.hook';
import { sessionUserOf } from '../../access/sessions';
import { batchUrl } from '../../batches/batch-wire';
import { BatchPresenter, ownBatch, unknownBatch } from '../../batches/batch-presenter';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { Route } from '../../http/route-policy';
import { sendPage } from '../../http/send-page';
import { renderDeletePage } from './batch-sections';
import { renderBatchesPage, SORTS, STATE_FILTERS, STATES_OF } from './batches-page';

const PAGE_SIZE = 20;
const MAX_NAME = 200;

/** List of batches, and forms to cancel and delete a batch. The page of a batch is a format of its API resource. */
@Controller('batches')
export class BatchPagesController {
  constructor(
    private readonly batches: BatchRepository,
    private readonly presenter: BatchPresenter,
  ) {}

  @Get()
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: "This key's batches as a page, the newest first.",
    query: [
      { name: 'after', description: 'Cursor from the link to the next page.', schema: z.string() },
      { name: 'deleted', description: 'Whether a batch was just deleted.', schema: z.boolean() },
      { name: 'name_part', description: 'Part of the file name.', schema: z.string().max(MAX_NAME) },
      { name: 'state', description: 'Kind of state.', schema: z.enum(STATE_FILTERS) },
      { name: 'sort', description: 'By the time of creation.', schema: z.enum(SORTS).default('newest') },
    ],
    answers: { 200: { description: 'The list.', content: { 'text/html': null } } },
    problems: ['unavailable'],
  })
  async list(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const after = parameters.text('after') ?? null;
    const wasDeleted = parameters.flag('deleted');
    if (after !== null && !isPageMark(after))
      parameters.addFault('after', 'must be the cursor of a link to the next page');
    const filter = {
      namePart: parameters.text('name_part')?.slice(0, MAX_NAME) ?? null,
      state: parameters.oneOf('state', STATE_FILTERS) ?? null,
      sort: parameters.oneOf('sort', SORTS) ?? 'newest',
    };
    parameters.finish();
    const { batches, next } = await this.batches.list(identityOf(request).id, {
      ...{ limit: PAGE_SIZE, after, namePart: filter.namePart, isOldestFirst: filter.sort === 'oldest' },
      states: filter.state === null ? null : STATES_OF[filter.state],
    });
    const wires = await this.presenter.all(batches);
    const named = wires.map((wire, at) => ({ ...wire, name: batches[at].name, options: batches[at] }));
    const page = { user: sessionUserOf(request), batches: named, next, isLater: after !== null, wasDeleted, filter };
    return sendPage(request, reply, renderBatchesPage(page));
  }

  @Post(':id/cancel')
  @Redirect('', 303)
  @Route({
    access: 'enrich:batch',
    page: true,
    form: true,
    summary: 'Cancels a batch, from its page. Results of processed rows stay readable.',
    answers: { 303: { description: 'To the page of the batch.' } },
    problems: ['not-found', 'stale-form', 'unavailable'],
  })
  async cancel(@Param('id') id: string, @Req() request: FastifyRequest): Promise<{ url: string }> {
    const { batch, owner } = await ownBatch(this.batches, request, id);
    await this.batches.cancel(owner, batch.id);
    return { url: `${batchUrl(batch.id)}?format=html` };
  }

  @Get(':id/delete')
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: 'Confirmation page before a batch is deleted.',
    answers: { 200: { description: 'The confirmation form.', content: { 'text/html': null } } },
    problems: ['not-found', 'unavailable'],
  })
  async confirmDelete(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { batch } = await ownBatch(this.batches, request, id);
    const wire = await this.presenter.present(batch);
    return sendPage(request, reply, renderDeletePage(wire, batch, sessionUserOf(request)));
  }

  @Post(':id/delete')
  @Redirect('', 303)
  @Route({
    access: 'enrich:batch',
    page: true,
    form: true,
    summary: 'Erases a batch, from its page: input, results and counts, now.',
    answers: { 303: { description: 'To the list of batches.' } },
    problems: ['not-found', 'stale-form', 'unavailable'],
  })
  async delete(@Param('id') id: string, @Req() request: FastifyRequest): Promise<{ url: string }> {
    const { batch, owner } = await ownBatch(this.batches, request, id);
    if (!(await this.batches.delete(owner, batch.id))) throw unknownBatch();
    return { url: '/batches?deleted=true' };
  }
}
