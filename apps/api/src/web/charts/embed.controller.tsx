import { applyDecorators, Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { CONFIG, type Config } from '@donorlens/config';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type VNode } from 'preact';
import { RateLimiter, rateLimited } from '../../access/rate-limiter';
import { publicNetwork } from '../../access/wrong-keys';
import { type AboutFacts, AboutFactsReader } from '../../charts/about-facts';
import { AGE_DISTRIBUTION, CUMULATIVE_DONORS, type DataTable } from '../../charts/data-tables';
import { type Charted, DonorCharts } from '../../charts/donor-charts';
import { checkOffices, type Lists } from '../../charts/list-parameters';
import { published } from '../../charts/table-reader';
import { readLists, requireOne } from '../../charts/table-query';
import { Problem } from '../../http/problem';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { originOf } from '../../http/request-origin';
import { Route } from '../../http/route-policy';
import { awaitShared } from '../../http/request-scheduling';
import { sendPage } from '../../http/send-page';
import { textOf } from '../layout/headline';
import { isoDay } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { agesHeadline, agesSubtitle } from './ages/ages-headline';
import { AgesFigure } from './ages/ages-page';
import { type Identity } from './chart-labels';
import { AGES, chartsUrl, embedPath, LINES, withDefaults } from './chart-subject';
import { DataNotices } from './data-notices';
import { LinesFigure, linesHeadline, linesSubtitle } from './lines/lines-page';

/** Limit for one client network; browsers and shared caches store a chart for 5 minutes. */
const CHARTS_PER_MINUTE = 300;

const EmbedRoute = ({ path, own, options }: DataTable): MethodDecorator =>
  applyDecorators(
    Get(path),
    Route({
      access: 'public',
      page: 'framed',
      summary: 'A chart for a frame on another site, if CHART_EMBEDS=public.',
      query: [...own, ...options],
      answers: { 200: { description: 'A page without navigation.', content: { 'text/html': null } } },
      problems: ['not-found', 'rate-limited', 'unavailable'],
    }),
  );

/** The charts of endpoints 6 and 7 for frames on other sites. They are public: users of those sites need no key. */
@Controller(embedPath(''))
export class EmbedController {
  constructor(
    private readonly charts: DonorCharts,
    private readonly about: AboutFactsReader,
    private readonly watch: ChartVersionWatch,
    private readonly limiter: RateLimiter,
    @Inject(CONFIG) private readonly config: Pick<Config, 'chartEmbeds'>,
  ) {}

  @EmbedRoute(CUMULATIVE_DONORS)
  async lines(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const lists = await this.listsOf(CUMULATIVE_DONORS, request);
    const chart = await awaitShared(this.charts.lines(lists), request);
    if (chart.parts.length === 0) throw noDonors();
    const facts = await this.about.facts();
    const title = textOf(linesHeadline(chart, facts));
    const subtitle = linesSubtitle(chart);
    const figure = <LinesFigure chart={chart} title={title} />;
    const full = originOf(request) + chartsUrl(LINES.file.path, lists, { token: undefined }, 'html');
    const props = { chart, title, subtitle, figure, full, facts };
    return sendFramed(request, reply, <Embed {...props} />);
  }

  @EmbedRoute(AGE_DISTRIBUTION)
  async ages(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const lists = withDefaults(AGES, await this.listsOf(AGE_DISTRIBUTION, request));
    const chart = await awaitShared(this.charts.ages(lists), request);
    if (chart.parts.length === 0) throw noDonors();
    const facts = await this.about.facts();
    const title = textOf(agesHeadline(chart, facts));
    const subtitle = agesSubtitle(chart);
    const figure = <AgesFigure chart={chart} title={title} basis={lists.basis} adults={null} />;
    const full = originOf(request) + chartsUrl(AGES.file.path, lists, { token: undefined }, 'html');
    const props = { chart, title, subtitle, figure, full, facts };
    return sendFramed(request, reply, <Embed {...props} />);
  }

  /** @throws Problem 400, 404 if embeds are off, 429, 503 before charts are built */
  private async listsOf({ own, options }: DataTable, request: FastifyRequest): Promise<Lists> {
    if (this.config.chartEmbeds === 'off')
      throw new Problem('not-found', 'Charts for other sites are off: an operator can set CHART_EMBEDS=public.');
    const network = publicNetwork(request);
    const state = network && (await this.limiter.consume(`embed.${network}`, CHARTS_PER_MINUTE));
    if (state && !state.isAllowed) throw rateLimited(state, 'Your network');
    const query = request.query as QueryParameters;
    const reader = new ParameterReader(query);
    const lists = readLists(reader, own, options);
    checkOffices(reader, lists);
    requireOne(
      reader,
      query,
      own.map(({ name }) => name),
    );
    reader.finish();
    published(this.watch, 'charts');
    return lists;
  }
}

const noDonors = (): Problem => new Problem('not-found', 'No donors match this selection.');

interface EmbedProps {
  readonly chart: Charted<Identity>;
  readonly facts: AboutFacts;
  readonly title: string;
  /** The numbers behind the headline. */
  readonly subtitle: string;
  readonly figure: VNode;
  /** URL of the chart page */
  readonly full: string;
}

const Embed = ({ chart: { parts, version }, facts, title, subtitle, figure, full }: EmbedProps): VNode => (
  <Layout title={title} scripts={['charts']} isFramed>
    <h1>{title}</h1>
    {subtitle !== '' && <p class="lede">{subtitle}</p>}
    <DataNotices facts={facts} cycles={parts.map(({ cycle }) => cycle)} />
    {figure}
    <p class="quiet">
      Source: Federal Election Commission;{' '}
      <a href={full} target="_blank" rel="noopener">
        donorlens
      </a>
      , charts-{version.id} of {isoDay(version.at)}.
    </p>
  </Layout>
);

/** Other sites may frame the page, and shared caches may store it, because it is the same for all clients. */
function sendFramed(request: FastifyRequest, reply: FastifyReply, page: VNode): string | Buffer {
  const body = sendPage(request, reply, renderPage(page));
  void reply.headers({ 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' });
  return body;
}
