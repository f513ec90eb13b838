import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AboutFactsReader } from '../charts/about-facts';
import { Route, RouteTable } from '../http/route-policy';
import { CachedText, packed } from '../http/send-page';
import { openApiDocument } from './openapi-document';

/** Example parameters for the sample data. After other data is loaded, the document shows ids of that data. */
const SAMPLE_EXAMPLES: Readonly<Record<string, unknown>> = {
  candidate_id: ['P90000001'],
  committee_id: ['C99900001'],
  cycle: [2016],
  name_part: ['hartwell'],
};

@Controller()
export class OpenApiController {
  private kept: { readonly of: string; readonly document: CachedText } | undefined;

  constructor(
    private readonly routes: RouteTable,
    private readonly about: AboutFactsReader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('openapi.json')
  @Route({
    access: 'public',
    summary: 'The OpenAPI document.',
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

  private textWith(examples: Readonly<Record<string, unknown>>): CachedText {
    const of = JSON.stringify(examples);
    if (this.kept?.of !== of)
      this.kept = { of, document: new CachedText(JSON.stringify(openApiDocument(this.routes.routes, examples))) };
    return this.kept.document;
  }

  /** Ids of the loaded data; ids of the sample if no data is loaded or the database cannot be read. */
  private async examples(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { examples } = await this.about.facts();
      if (examples === null) return SAMPLE_EXAMPLES;
      const { candidateId, committeeId, cycle, namePart } = examples;
      return {
        candidate_id: [candidateId],
        ...(committeeId !== null && { committee_id: [committeeId] }),
        cycle: [cycle],
        name_part: [namePart],
      };
    } catch (error) {
      this.logger.debug({ err: error }, 'example ids could not be read: the OpenAPI document has those of the sample');
      return SAMPLE_EXAMPLES;
    }
  }
}
