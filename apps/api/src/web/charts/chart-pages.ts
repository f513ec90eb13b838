import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { CONFIG, type Config } from '@donorlens/config';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AboutFactsReader } from '../../charts/about-facts';
import { ChartPages } from '../../charts/tables.controller';
import { ChartSearch } from '../../charts/chart-search';
import { AGE_DISTRIBUTION } from '../../charts/data-tables';
import { type Lists } from '../../charts/list-parameters';
import { DonorCharts } from '../../charts/donor-charts';
import { published, type Published, publishedOrNull } from '../../charts/table-reader';
import { isFresh } from '../../charts/send-file';
import { type TableQuery } from '../../charts/table-query';
import { acceptsGzip } from '../../http/media-types';
import { packed, sendPage } from '../../http/send-page';
import { awaitShared } from '../../http/request-scheduling';
import { CHART_POLICY } from '../layout/picture';
import { renderAgesPage } from './ages/ages-page';
import { renderSelectionPage, renderNotBuiltPage } from './chart-selection-page';
import { AGES, type ChartSubject, LINES, requestContextOf, withDefaults } from './chart-subject';
import { renderLinesPage } from './lines/lines-page';
import { standaloneAges, standaloneLines } from './standalone-donors';

/** Endpoints 6 and 7 as pages and SVG files. */
@Injectable()
export class DonorChartPages extends ChartPages {
  constructor(
    private readonly charts: DonorCharts,
    private readonly search: ChartSearch,
    private readonly about: AboutFactsReader,
    private readonly watch: ChartVersionWatch,
    @Inject(CONFIG) private readonly config: Pick<Config, 'chartEmbeds'>,
  ) {
    super();
  }

  /** @throws Problem 503 for an SVG file before charts are built */
  async send(query: TableQuery, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const subject = query.table === AGE_DISTRIBUTION ? AGES : LINES;
    if (query.format === 'svg') await this.sendPicture(subject, query.lists, request, reply);
    else await this.sendPage(subject, query, request, reply);
  }

  private async sendPicture(
    subject: ChartSubject,
    lists: Lists,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    published(this.watch, 'charts');
    if (subject === AGES) {
      const chart = await awaitShared(this.charts.ages(lists), request);
      return sendPicture(request, reply, standaloneAges(chart, lists.basis, await this.about.facts()), chart.version);
    }
    const chart = await awaitShared(this.charts.lines(lists), request);
    return sendPicture(request, reply, standaloneLines(chart, await this.about.facts()), chart.version);
  }

  private async sendPage(
    subject: ChartSubject,
    { lists: given, nameParts }: TableQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const lists = withDefaults(subject, given);
    const version = publishedOrNull(this.watch.current(), 'charts');
    const context = requestContextOf(request);
    if (version === null) {
      void reply.code(503).header('retry-after', '5');
      return sendChartPage(request, reply, renderNotBuiltPage(subject.eyebrow, context), null);
    }
    const found = nameParts.length === 0 ? null : await this.search[subject.search](nameParts, lists.office);
    const isEmpty = subject.file.own.every(({ name }) => lists[name].length === 0);
    const facts = this.about.facts();
    const hasEmbeds = this.config.chartEmbeds === 'public';
    const props = { lists, hasEmbeds, found, facts: await (isEmpty ? awaitShared(facts, request) : facts), context };
    const html = isEmpty ? null : await this.renderChart(subject, props, request);
    return sendChartPage(request, reply, html ?? renderSelectionPage({ subject, ...props }), version);
  }

  /** null if nothing matches the selection */
  private async renderChart(
    subject: ChartSubject,
    props: Omit<Parameters<typeof renderLinesPage>[0], 'chart'>,
    request: FastifyRequest,
  ): Promise<string | null> {
    if (subject === AGES) {
      const chart = await awaitShared(this.charts.ages(props.lists), request);
      const [one, ...others] = chart.parts;
      if (one === undefined) return null;
      const bases = others.length > 0 ? [] : await this.charts.bases(one.id, one.cycle, props.lists.office ?? []);
      return renderAgesPage({ chart, ...props, bases });
    }
    const chart = await awaitShared(this.charts.lines(props.lists), request);
    return chart.parts.length === 0 ? null : renderLinesPage({ chart, ...props });
  }
}

/** The ETag of a text in the encoding that the client receives. */
function tagOf(text: string, request: FastifyRequest): string {
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  return `"${tag}${acceptsGzip(request.headers) ? '-gzip' : ''}"`;
}

/** Sets the ETag. If the client has the text, sends 304 and returns true. */
function isKnown(request: FastifyRequest, reply: FastifyReply, text: string): boolean {
  void reply.header('etag', tagOf(text, request));
  if (!isFresh(request.headers, reply.getHeaders())) return false;
  void reply.code(304).send();
  return true;
}

/** Browsers revalidate a page each time, because it shows the signed-in key. */
export function sendChartPage(
  request: FastifyRequest,
  reply: FastifyReply,
  html: string,
  version: Published | null,
): void {
  void reply.headers({ 'cache-control': 'private, no-cache', vary: 'Accept, Accept-Encoding, Cookie' });
  if (version !== null) {
    void reply.header('data-version', `charts-${version.id}`);
    if (isKnown(request, reply, html)) return;
  }
  void reply.send(sendPage(request, reply, html));
}

/** An SVG file may be cached like a CSV file. */
export function sendPicture(request: FastifyRequest, reply: FastifyReply, svg: string, version: Published): void {
  void reply.headers({
    'cache-control': 'private, max-age=3600',
    vary: 'Accept, Accept-Encoding',
    'last-modified': version.at.toUTCString(),
    'data-version': `charts-${version.id}`,
  });
  if (isKnown(request, reply, svg)) return;
  void reply.headers({ 'content-type': 'image/svg+xml; charset=utf-8', 'content-security-policy': CHART_POLICY });
  void reply.send(packed(request, reply, svg));
}
