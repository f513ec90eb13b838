import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type AboutFacts, AboutFactsReader } from '../../charts/about-facts';
import { FILE_GUIDES } from '../../charts/file-guide';
import { Route } from '../../http/route-policy';
import { sendPage } from '../../http/send-page';
import { awaitShared } from '../../http/request-scheduling';
import { type RequestContext, requestContextOf } from '../charts/chart-subject';
import { DataNotices } from '../charts/data-notices';
import { Layout, renderPage } from '../layout/layout';
import { SearchForm } from '../layout/lookup-forms';
import { AboutCharts, AboutPicture } from './about-charts';
import { AboutCoverage, AboutSensitivity } from './about-coverage';
import { AboutFile, exampleUrl } from './about-file';
import { AboutLimits, AboutRules } from './about-method';
import { AboutSources } from './about-sources';

/** The page about the data of the charts. */
@Controller('data-charts/v1')
export class AboutController {
  constructor(private readonly about: AboutFactsReader) {}

  @Get('about')
  @Route({
    access: 'charts:read',
    page: true,
    summary:
      'Instructions: the files, working examples, columns, what is loaded, how it is counted, sources and limits.',
    answers: { 200: { description: 'A page for people.', content: { 'text/html': null } } },
    problems: ['unavailable'],
  })
  async show(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    return sendPage(
      request,
      reply,
      renderAboutPage(await awaitShared(this.about.facts(), request), requestContextOf(request)),
    );
  }
}

const FIRST = FILE_GUIDES.find(({ path }) => path.startsWith('cumulative_donors'));

/** How to use the data and charts endpoints, and which data is loaded. */
export const renderAboutPage = (facts: AboutFacts, context: RequestContext): string =>
  renderPage(
    <Layout title="About the data" user={context.user} section="/data-charts/v1/about" scripts={['search', 'charts']}>
      <p class="eyebrow">Data and charts</p>
      <h1 class="headline">Donors of presidential candidates, as charts and as spreadsheet files</h1>
      <DataNotices facts={facts} />
      <p class="lede">
        Presidential candidates, their committees and individual contributions from the Federal Election Commission.
        Donorlens adds the donor&rsquo;s estimated age, gender and ethnicity. It adds county and household income by the
        address of a filing or, if the file of counties is loaded, by ZIP code.
      </p>
      {context.token === undefined && <SearchForm />}
      {facts.picture && <AboutPicture chart={facts.picture} facts={facts} context={context} />}
      <nav class="contents" aria-label="On this page">
        <a href="#charts">Charts</a> <a href="#first">First file</a> <a href="#files">All files</a>{' '}
        <a href="#coverage">Loaded data</a> <a href="#rules">Counting rules</a> <a href="#sources">Sources</a>{' '}
        <a href="#use">Permitted use</a> <a href="#limits">Limits</a>
      </nav>
      <AboutCharts facts={facts} context={context} />
      <FirstFile facts={facts} context={context} />
      <section id="files">
        <h2>All files</h2>
        <p>
          Repeat a parameter for several values: <code>cycle=2016&amp;cycle=2020</code>. Values of one parameter are
          combined with OR, different parameters with AND. At least one parameter is required. Without a cycle, the file
          has all cycles. If nothing matches, the file has only the header row.
        </p>
        {FILE_GUIDES.map((guide) => (
          <AboutFile guide={guide} facts={facts} context={context} />
        ))}
        <p class="quiet">
          CSV follows RFC 4180, in UTF-8, with LF line ends. Text that a spreadsheet would run as a formula begins with
          an apostrophe; <code>raw=true</code> omits it. <code>format=json</code> gives JSON. <code>format=html</code>{' '}
          and <code>format=svg</code> give a chart if there is one. Responses have an ETag: send it as{' '}
          <code>If-None-Match</code> to get a 304 if nothing has changed.
        </p>
      </section>
      <AboutCoverage facts={facts} />
      <AboutRules />
      <AboutSensitivity facts={facts} />
      <AboutSources facts={facts} />
      <AboutLimits geocoder={facts.geocoder} />
    </Layout>,
  );

function FirstFile({ facts: { examples }, context }: { readonly facts: AboutFacts; readonly context: RequestContext }) {
  const query = examples && FIRST?.example(examples);
  return (
    <section id="first">
      <h2>Your first file, in 30 seconds</h2>
      {FIRST && query ? (
        <>
          <p>Donors of one candidate, day by day. Replace KEY with your API key:</p>
          <pre>
            <code>{`curl -OJ -H 'X-API-Key: KEY' \\\n  '${context.origin}${exampleUrl(FIRST, query)}'`}</code>
          </pre>
          <p>
            The file name is <code>results.csv</code>, or <code>NAME.csv</code> with <code>filename=NAME</code>.{' '}
            {context.token === undefined && context.user === null ? (
              <>
                In a browser, add <code>&amp;token=KEY</code> to the URL instead. The key is then in your history.
              </>
            ) : (
              <>
                Or <a href={exampleUrl(FIRST, query, context.token)}>open it here</a>.
              </>
            )}
          </p>
        </>
      ) : (
        <p>No candidates are loaded yet. Once they are, this page shows a command that you can copy.</p>
      )}
    </section>
  );
}
