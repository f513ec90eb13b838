import { Controller, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accepts-gzip';
import { eachInTurn } from '../http/turns';
import { ChartPages } from './chart-pages';
import { Questions } from './question';
import { sendVariant } from './send-variant';
import { TableBodies } from './table-bodies';
import { isLongVariant } from './table-body';
import {
  AGE_DISTRIBUTION,
  BREAKDOWN,
  CANDIDATE_SEARCH,
  COMMITTEE_SEARCH,
  CUMULATIVE_DONORS,
  type TableFile,
} from './table-files';
import { TableRoute } from './table-route';

/** Files that are made once and kept, and charts of them. */
@Controller('data-charts/v1')
export class TablesController {
  private readonly questions = new Questions();

  constructor(
    private readonly bodies: TableBodies,
    private readonly charts: ChartPages,
  ) {}

  @TableRoute(AGE_DISTRIBUTION)
  ageDistribution(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(AGE_DISTRIBUTION, request, reply);
  }

  @TableRoute(CUMULATIVE_DONORS)
  cumulativeDonors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(CUMULATIVE_DONORS, request, reply);
  }

  @TableRoute(BREAKDOWN)
  breakdown(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(BREAKDOWN, request, reply);
  }

  @TableRoute(CANDIDATE_SEARCH)
  candidates(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(CANDIDATE_SEARCH, request, reply);
  }

  @TableRoute(COMMITTEE_SEARCH)
  committees(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(COMMITTEE_SEARCH, request, reply);
  }

  private async send(file: TableFile, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const question = this.questions.of(file, request);
    const { format } = question.query;
    if (format === 'html' || format === 'svg') return this.charts.send(question, request, reply);
    const found = this.bodies.find(question, acceptsGzip(request.headers));
    const variant = found instanceof Promise ? await found : found;
    sendVariant(request, reply, isLongVariant(variant) ? await eachInTurn(Promise.resolve(variant), request) : variant);
  }
}
