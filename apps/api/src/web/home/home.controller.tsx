import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { ADULT_AGE } from '@donorlens/demographics';
import { withTimeout } from '@donorlens/primitives';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type VNode } from 'preact';
import { type SessionUser, sessionUserOf } from '../../access/sessions';
import { type AboutFacts, AboutFactsReader } from '../../charts/about-facts';
import { DonorCharts, type LinesChart as Lines } from '../../charts/donor-charts';
import { originOf } from '../../http/request-origin';
import { Route } from '../../http/route-policy';
import { sendPage } from '../../http/send-page';
import { candidatePath } from '../charts/chart-subject';
import { DataNotices, ImportCommand } from '../charts/data-notices';
import { SMALL_LINES } from '../charts/lines/lines-geometry';
import { LinesFigure, linesHeadline, linesSubtitle } from '../charts/lines/lines-page';
import { HeadlineText, textOf } from '../layout/headline';
import { isoDay } from '../layout/labels';
import { canUse, KeyPrompt, Layout, ReleaseLine, renderPage, SampleNotice } from '../layout/layout';
import { NameForm, SearchForm, SurnameForm } from '../layout/lookup-forms';

@Controller()
export class HomeController {
  constructor(
    private readonly releases: ReleaseHolder,
    private readonly about: AboutFactsReader,
    private readonly charts: DonorCharts,
    @Inject(CONFIG) private readonly config: Pick<Config, 'chartEmbeds'>,
  ) {}

  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'The start page.',
    answers: { 200: { description: 'A page that says what this is and links on.', content: { 'text/html': null } } },
  })
  async home(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const user = sessionUserOf(request);
    const facts = { origin: originOf(request), user, today: isoDay(new Date()) };
    const canRead = this.config.chartEmbeds === 'public' || user?.scopes.has('charts:read');
    const chart = canRead ? await this.firstChart() : undefined;
    const first = chart?.chart || user ? chart : undefined; // import hints need a session
    return sendPage(request, reply, renderHomePage({ release: this.releases.current(), first, ...facts }));
  }

  /** Undefined after FIRST_CHART_WAIT_MS, because the page must also work without the database. */
  private firstChart(): Promise<FirstChartProps | undefined> {
    return withTimeout(FIRST_CHART_WAIT_MS, async () => {
      const facts = await this.about.facts();
      const newest = Math.max(...facts.index.map(({ cycle }) => cycle));
      const largest = facts.index.find(({ cycle }) => cycle === newest); // most donors first
      if (largest === undefined) return { facts, chart: null };
      const { candidateId, cycle } = largest;
      return { facts, chart: await this.charts.lines({ candidate_id: [candidateId], cycle: [String(cycle)] }) };
    }).catch(() => undefined);
  }
}

const FIRST_CHART_WAIT_MS = 2_000;

interface FirstChartProps {
  readonly facts: AboutFacts;
  /** null if no contributions are loaded */
  readonly chart: Lines | null;
}

interface HomeProps {
  /** null before the first data release is loaded */
  readonly release: Release | null;
  readonly user: SessionUser | null;
  /** Chart of the largest candidate of the newest cycle, for a key that may read charts, or if charts are public. */
  readonly first?: FirstChartProps;
  /** `https://host:port` of the request */
  readonly origin: string;
  /** yyyy-mm-dd, the default date of the forms */
  readonly today: string;
}

/** The start page: sign-in, lookups, upload, charts and links. */
export const renderHomePage = (props: HomeProps): string => renderPage(<HomePage {...props} />);

/** The search needs the scope charts:read. */
const hasSearch = ({ user, first }: Pick<HomeProps, 'user' | 'first'>): boolean =>
  first?.chart != null && user?.scopes.has('charts:read') === true;

const scriptsOf = ({ user, first }: Pick<HomeProps, 'user' | 'first'>): ('charts' | 'search')[] => [
  ...(first?.chart?.parts.length ? (['charts'] as const) : []),
  ...(hasSearch({ user, first }) ? (['search'] as const) : []),
];

function HomePage({ release, user, first, origin, today }: HomeProps): VNode {
  const Heading = first?.chart ? 'h2' : 'h1';
  return (
    <Layout title="Start" user={user} scripts={scriptsOf({ user, first })}>
      {first && <FirstChart {...first} user={user} />}
      {hasSearch({ user, first }) && <SearchForm />}
      <div class="hero">
        <div>
          <Heading>Demographics of campaign donors from official statistics</Heading>
          <p class="lede">
            Age and gender from a first name and a date, ethnicity from a surname, county and household income from an
            address. For one lookup or millions of rows.
          </p>
        </div>
        {user ? (
          <SignedIn user={user} />
        ) : (
          <section class="card" aria-label="Sign in">
            <KeyPrompt next="/" />
          </section>
        )}
      </div>
      {release?.label === 'sample' && <SampleNotice />}
      <div class="home">
        {canUse(user, 'enrich:read') && <Lookups today={today} />}
        <Files user={user} />
        <div class="stack">
          <Developers origin={origin} />
          {canUse(user, 'ops') && <Operators />}
        </div>
      </div>
      <p class="quiet">
        {release === null ? 'The reference data is not loaded yet' : <ReleaseLine release={release} />}. Estimates are
        for sums over many donors and say little about one person: see <a href="/guide/method">the method</a>.
      </p>
    </Layout>
  );
}

function FirstChart({ facts, chart, user }: FirstChartProps & Pick<HomeProps, 'user'>): VNode {
  const [line] = chart?.parts ?? [];
  if (chart === null || line === undefined)
    return (
      <p class="notice">
        <strong>No contributions are loaded.</strong> Once they are, this page begins with a chart. Load the FEC&rsquo;s
        files of a cycle: <ImportCommand />. For a file of your own, add <code>--contributions FILE</code>.
      </p>
    );
  const headline = linesHeadline(chart, facts);
  return (
    <section aria-label="Largest candidate of the newest cycle">
      <HeadlineText parts={headline} />
      <p class="lede">{linesSubtitle(chart)}</p>
      <DataNotices facts={facts} cycles={[line.cycle]} />
      <LinesFigure chart={chart} title={textOf(headline)} wide={SMALL_LINES}>
        {canUse(user, 'charts:read') ? (
          <>
            <a href={candidatePath(line.id, line.cycle)}>All charts of this candidate</a> ·{' '}
            <a href="/compare">Compare candidates</a> · <a href="/data-charts/v1/about">All candidates</a>
          </>
        ) : undefined}
      </LinesFigure>
    </section>
  );
}

const SignedIn = ({ user }: { readonly user: SessionUser }): VNode => (
  <section class="card" aria-label="Signed in">
    <p>
      Signed in with the key <strong>{user.keyName}</strong>.
    </p>
    <p class="actions">{user.scopes.has('enrich:batch') && <a href="/batches">Recent batches</a>}</p>
  </section>
);

const Lookups = ({ today }: { readonly today: string }): VNode => (
  <section class="card" id="names">
    <h2>Look up a name</h2>
    <p>Age and gender for a first name on a date.</p>
    <NameForm date={today} minAge={ADULT_AGE} />
    <h2>Look up a surname</h2>
    <p>Ethnicity for a surname, from Census surname lists.</p>
    <SurnameForm year={Number(today.slice(0, 4))} />
  </section>
);

function Files({ user }: Pick<HomeProps, 'user'>): VNode | null {
  const [canUpload, canRead] = [canUse(user, 'enrich:batch'), canUse(user, 'charts:read')];
  if (!canUpload && !canRead) return null;
  return (
    <section class="card">
      {canUpload && <UploadCard />}
      {canRead && (
        <>
          <h2>Donor charts</h2>
          <p>
            <a href="/data-charts/v1/about">Donors of candidates</a>: ages by committee and donors over time, as charts
            and CSV.
          </p>
        </>
      )}
    </section>
  );
}

const UploadCard = (): VNode => (
  <>
    <h2>Upload a file</h2>
    <p>
      Upload contributions as CSV, Excel or JSON lines. Preview five rows before anything is stored, then download the
      file with the added columns. FEC exports need no column mapping.
    </p>
    <p>
      <a class="button" href="/upload">
        Upload file
      </a>
    </p>
  </>
);

const Developers = ({ origin }: { readonly origin: string }): VNode => (
  <section class="card">
    <h2>Developers</h2>
    <p>
      <a href="/docs">API reference</a> with forms to send requests, <a href="/guide/api">API guide</a> and{' '}
      <a href="/openapi.json">OpenAPI document</a>.
    </p>
    <pre>
      <code>{`curl -H 'X-API-Key: KEY' '${origin}/enrich/v1/ethnicity/surname/Garcia/year/2016'`}</code>
    </pre>
    <p class="quiet">Send the key as a header: URLs end up in logs and browser histories.</p>
  </section>
);

const Operators = (): VNode => (
  <section class="card">
    <h2>Operators</h2>
    <p>
      <a href="/ops">Operations console</a>: queues, batches, geocoder, data releases and audit log.{' '}
      <a href="/health/ready">/health/ready</a> is the readiness check.
    </p>
  </section>
);
