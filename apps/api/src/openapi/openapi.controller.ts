import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AboutFactsReader } from '../data-charts/about-facts.reader';
import { Route } from '../http/route-policy';
import { RouteTable } from '../http/route-table';
import { KeptText, packed } from '../pages/send-page';
import { OF_THE_SAMPLE } from './examples';
import { openApiDocument } from './openapi-document';

@Controller()
export class OpenApiController {
  private kept: { readonly of: string; readonly document: KeptText } | undefined;

  constructor(
    private readonly routes: RouteTable,
    private readonly about: AboutFactsReader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('openapi.json')
  @Route({
    access: 'public',
    summary: 'This document.',
    answers: { 200: { description: 'OpenAPI 3.1.', content: { 'application/json': null } } },
  })
  async document(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    void reply.headers({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      vary: 'Accept-Encoding',
    });
    return packed(request, reply, this.textWith(await this.examples()));
  }

  private textWith(examples: Readonly<Record<string, unknown>>): KeptText {
    const of = JSON.stringify(examples);
    if (this.kept?.of !== of)
      this.kept = { of, document: new KeptText(JSON.stringify(openApiDocument(this.routes.routes, examples))) };
    return this.kept.document;
  }

  /** Ids of what is loaded; those of the sample where nothing is, or where it cannot be read now: the document is there anyway. */
  private async examples(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { examples } = await this.about.facts();
      if (examples === null) return OF_THE_SAMPLE;
      const { candidateId, committeeId, cycle, namePart } = examples;
      return {
        candidate_id: [candidateId],
        ...(committeeId !== null && { committee_id: [committeeId] }),
        cycle: [cycle],
        name_part: [namePart],
      };
    } catch (error) {
      this.logger.debug({ err: error }, 'no examples for the document');
      return OF_THE_SAMPLE;
    }
  }
}
