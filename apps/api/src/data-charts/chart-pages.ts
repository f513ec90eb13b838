import { Injectable } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { eachInTurn } from '../http/turns';
import { renderAgesPage } from '../pages/ages-page';
import { renderAskingPage, renderNotBuiltPage } from '../pages/chart-asking';
import { AGES, type ChartSubject, LINES } from '../pages/chart-subject';
import { renderLinesPage } from '../pages/lines-page';
import { standaloneAges, standaloneLines } from '../pages/standalone-donors';
import { AboutFactsReader } from './about-facts.reader';
import { ChartSearch } from './chart-search';
import { DonorCharts } from './donor-charts';
import { published, publishedOrNull } from './published';
import { type Question } from './question';
import { sendChartPage, sendPicture } from './send-chart';
import { AGE_DISTRIBUTION } from './table-files';
import { visitOf } from './visit-of';

/** Answers of endpoints 6 and 7 to be looked at. */
@Injectable()
export class ChartPages {
  constructor(
    private readonly charts: DonorCharts,
    private readonly search: ChartSearch,
    private readonly about: AboutFactsReader,
    private readonly watch: ChartVersionWatch,
  ) {}

  /** @throws Problem 503 where a picture is asked for and charts are not built yet */
  async send({ file, query }: Question, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const subject = file === AGE_DISTRIBUTION ? AGES : LINES;
    if (query.format === 'svg') await this.sendPicture(subject, query.lists, request, reply);
    else await this.sendPage(subject, query, request, reply);
  }

  private async sendPicture(
    subject: ChartSubject,
    lists: Question['query']['lists'],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    published(this.watch, 'charts');
    if (subject === AGES) {
      const chart = await eachInTurn(this.charts.ages(lists), request);
      return sendPicture(request, reply, standaloneAges(chart), chart.version);
    }
    const chart = await eachInTurn(this.charts.lines(lists), request);
    return sendPicture(request, reply, standaloneLines(chart), chart.version);
  }

  private async sendPage(
    subject: ChartSubject,
    { lists, nameParts }: Question['query'],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const version = publishedOrNull(this.watch.current(), 'charts');
    const visit = visitOf(request);
    if (version === null) {
      void reply.code(503).header('retry-after', '5');
      return sendChartPage(request, reply, renderNotBuiltPage({ subject, visit }), null);
    }
    const found = nameParts.length === 0 ? null : await this.search.find(subject, nameParts);
    const isNothing = subject.file.own.every(({ name }) => lists[name].length === 0);
    const facts = this.about.facts();
    const asked = { lists, found, facts: await (isNothing ? eachInTurn(facts, request) : facts), visit };
    const html = isNothing ? null : await this.drawn(subject, asked, request);
    return sendChartPage(request, reply, html ?? renderAskingPage({ subject, ...asked }), version);
  }

  /** null where nothing matches */
  private async drawn(
    subject: ChartSubject,
    asked: Omit<Parameters<typeof renderLinesPage>[0], 'chart'>,
    request: FastifyRequest,
  ): Promise<string | null> {
    if (subject === AGES) {
      const chart = await eachInTurn(this.charts.ages(asked.lists), request);
      return chart.parts.length === 0 ? null : renderAgesPage({ chart, ...asked });
    }
    const chart = await eachInTurn(this.charts.lines(asked.lists), request);
    return chart.parts.length === 0 ? null : renderLinesPage({ chart, ...asked });
  }
}
