import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type VNode } from 'preact';
import { type AboutFacts, AboutFactsReader } from '../../charts/about-facts';
import { type CandidateProfile, CandidateProfiles, type CycleDonors } from '../../charts/candidate-profiles';
import { AGE_DISTRIBUTION, BREAKDOWN, CUMULATIVE_DONORS } from '../../charts/data-tables';
import { CANDIDATE_ID, CYCLE } from '../../charts/list-parameters';
import { SMALL_GROUP } from '../../charts/donor-series';
import { type Published, publishedOrNull } from '../../charts/table-reader';
import { readLists } from '../../charts/table-query';
import { Problem } from '../../http/problem';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { Route } from '../../http/route-policy';
import { awaitShared } from '../../http/request-scheduling';
import { AgeBases } from '../charts/ages/ages-page';
import { partyName, seatName } from '../charts/chart-labels';
import { fileUrl } from '../charts/chart-data';
import { sendChartPage } from '../charts/chart-pages';
import { renderNotBuiltPage } from '../charts/chart-selection-page';
import { candidatePath, chartsUrl, type RequestContext, requestContextOf } from '../charts/chart-subject';
import { DataNotices, hasBegun, ImportCommand, inCycles } from '../charts/data-notices';
import { candidateName, committeeName } from '../charts/display-names';
import { SMALL_LINES } from '../charts/lines/lines-geometry';
import { LinesFigure, linesSubtitle } from '../charts/lines/lines-page';
import { Bars, describeBars, NARROW_BARS } from '../layout/bar-chart';
import { KeyFigures, type HeadlinePart, HeadlineText, plain, strong, textOf } from '../layout/headline';
import { count, isoDay, percent } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { DONOR_SECTIONS, type DonorSection, stateFinding, statesOf } from './donor-sections';
import { SHADES_TEXT, StateMap, stateName, StateTable } from './state-map';

const EYEBROW = 'Candidate';

/** Pages of single candidates. */
@Controller('candidates')
export class CandidateController {
  constructor(
    private readonly profiles: CandidateProfiles,
    private readonly about: AboutFactsReader,
    private readonly watch: ChartVersionWatch,
  ) {}

  @Get(':id')
  @Route({
    access: 'charts:read',
    page: true,
    summary: 'A candidate: committees, donors over time, and donors by gender, age, ethnicity, state and more.',
    query: [CYCLE],
    answers: { 200: { description: 'A page for people.', content: { 'text/html': null } } },
    problems: ['not-found', 'unavailable'],
  })
  async show(
    @Param('id') candidateId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const id = CANDIDATE_ID.read(candidateId);
    if ('fault' in id) throw unknownCandidate();
    const context = requestContextOf(request);
    const version = publishedOrNull(this.watch.current(), 'charts');
    if (version === null) {
      void reply.code(503).header('retry-after', '5');
      return sendChartPage(request, reply, renderNotBuiltPage(EYEBROW, context), null);
    }
    const profile = await awaitShared(this.profiles.find(id.value, cycleOf(request)), request);
    if (profile === null) throw unknownCandidate();
    const facts = await this.about.facts();
    return sendChartPage(request, reply, renderCandidatePage({ profile, facts, version, context }), version);
  }
}

const unknownCandidate = (): Problem => new Problem('not-found', 'No loaded cycle has a candidate with this ID.');

/** @throws Problem 400 */
function cycleOf(request: FastifyRequest): number | null {
  const reader = new ParameterReader(request.query as QueryParameters);
  const { cycle } = readLists(reader, [{ ...CYCLE, maxValues: 1 }]);
  reader.finish();
  return cycle.length === 0 ? null : Number(cycle[0]);
}

interface PageProps {
  readonly profile: CandidateProfile;
  readonly facts: AboutFacts;
  readonly version: Published;
  readonly context: RequestContext;
}

/** Page with a candidate and the donors of one cycle. */
export const renderCandidatePage = (props: PageProps): string => renderPage(<CandidatePage {...props} />);

function CandidatePage({ profile, facts, version, context }: PageProps): VNode {
  const { donors, seat } = profile;
  const headline = headlineOf(profile, facts);
  return (
    <Layout
      title={textOf(headline)}
      user={context.user}
      section="/data-charts/v1/about"
      scripts={donors ? ['charts'] : []}
    >
      <p class="eyebrow">
        {EYEBROW}
        {seat && ` for ${seatName(seat)}`}
        {seat && partyName(seat) !== '' && ` · ${partyName(seat)}`} · <code>{profile.id}</code>
      </p>
      <HeadlineText parts={headline} />
      {donors && <p class="lede">{linesSubtitle(donors.line)}</p>}
      <DataNotices facts={facts} cycles={donors ? [donors.cycle] : []} />
      <Cycles profile={profile} />
      {donors ? (
        <Donors donors={donors} profile={profile} context={context} />
      ) : (
        <NoDonors facts={facts} profile={profile} />
      )}
      <Committees profile={profile} context={context} />
      <footer class="method">
        <h2>Method</h2>
        <p>
          A donor is counted once in a cycle: two contributions belong to one donor if first name, surname and the first
          five digits of the ZIP code agree. Shares are of the donors whose value is known. Gender, age and ethnicity
          are estimates from names and say little about one person: see <a href="/guide/method">the method</a>.
        </p>
        <p>
          Version <code>charts-{version.id}</code> of {isoDay(version.at)}. Source: Federal Election Commission.
        </p>
      </footer>
    </Layout>
  );
}

const nameOf = ({ name, id }: CandidateProfile): string => candidateName(name) || id;

function headlineOf(profile: CandidateProfile, facts: AboutFacts): HeadlinePart[] {
  const { donors, cycle } = profile;
  const name = strong(nameOf(profile));
  if (donors === null) return [name, plain(` has no loaded donors${cycle === null ? '' : ` in ${cycle}`}`)];
  const people = strong(`${count(donors.count)} donor${donors.count === 1 ? '' : 's'}`);
  return [name, plain(' had '), people, plain(inCycles(facts, [donors.cycle]) + placeOf(donors))];
}

const isSmall = ({ count: all }: CycleDonors): boolean => all < SMALL_GROUP;

/** `, 17.3% in California`; empty for a small group. */
function placeOf(donors: CycleDonors): string {
  const [first] = statesOf(donors);
  if (isSmall(donors) || !first?.code) return '';
  return `, ${percent(first.share)} in ${stateName(first.code)}`;
}

const Cycles = ({ profile: { id, cycles, donors } }: Pick<PageProps, 'profile'>): VNode | null =>
  cycles.length === 0 || (cycles.length === 1 && donors) ? null : (
    <nav class="contents" aria-label="Cycles with donors">
      {cycles.map((cycle) => (
        <a href={candidatePath(id, cycle)} aria-current={cycle === donors?.cycle ? 'true' : undefined}>
          {cycle}
        </a>
      ))}
    </nav>
  );

function NoDonors({ facts, profile: { cycle, committees } }: Pick<PageProps, 'facts' | 'profile'>): VNode {
  const loaded = facts.cycles.map((one) => one.cycle);
  if (cycle !== null && loaded.includes(cycle))
    return (
      <p>
        Contributions of {cycle} are loaded, but{' '}
        {committees.some(({ cycles }) => cycles.includes(cycle))
          ? 'none to a committee of this candidate.'
          : 'no committee is linked to this candidate in that cycle.'}
      </p>
    );
  return (
    <p>
      No contributions to a committee of this candidate are loaded{cycle !== null && ` for ${cycle}`}. Loaded cycles:{' '}
      {loaded.join(', ') || 'none'}.{' '}
      {cycle !== null && !hasBegun(cycle) ? (
        `The ${cycle} cycle has not begun.`
      ) : (
        <>
          Load a cycle: <ImportCommand cycle={cycle ?? 'YEAR'} />
        </>
      )}
    </p>
  );
}

type DonorsProps = Omit<PageProps, 'facts' | 'version'> & { readonly donors: CycleDonors };

function Donors({ donors, profile, context }: DonorsProps): VNode {
  const states = statesOf(donors);
  return (
    <>
      <Numbers donors={donors} />
      <OverTime donors={donors} profile={profile} context={context} />
      <Ages donors={donors} context={context} profile={profile} />
      <section>
        <h2>Who the donors are</h2>
        {isSmall(donors) && (
          <p class="notice">
            <strong>Fewer than {SMALL_GROUP} donors.</strong> These shares may differ by chance alone.
          </p>
        )}
        <div class="cards">
          <figure>
            <h3>State{!isSmall(donors) && `: ${stateFinding(states)}`}</h3>
            <StateMap id="states" title="Donors by state" states={states} />
            <figcaption>
              Shares of donors. {SHADES_TEXT} {fileLink(BREAKDOWN, profile, donors, context, { by: ['state'] })}
            </figcaption>
            <StateTable states={states} />
          </figure>
          {DONOR_SECTIONS.map((section) => (
            <Card section={section} donors={donors} profile={profile} context={context} />
          ))}
        </div>
      </section>
    </>
  );
}

function Numbers({ donors }: Pick<DonorsProps, 'donors'>): VNode {
  const { contributions, amountCents, ages } = donors;
  const median = ages.find(({ basis }) => basis === 'donors')?.part.middle?.median;
  const facts: [string, string][] = [
    ['Donors', count(donors.count)],
    ['Contributions', count(contributions)],
    ['Amount, net of refunds', `$${count(amountCents / 100)}`],
    ['Median age (all donors together)', median === undefined ? 'unknown' : String(median)],
  ];
  return <KeyFigures facts={facts} />;
}

function OverTime({ donors: { line, cycle }, profile, context }: DonorsProps): VNode {
  const lists = { candidate_id: [profile.id], cycle: [String(cycle)], office: [profile.id[0]] };
  return (
    <section>
      <h2>Donors over time</h2>
      <LinesFigure chart={line} title={`Donors of ${nameOf(profile)} over time`} wide={SMALL_LINES}>
        <a href={chartsUrl(CUMULATIVE_DONORS.path, lists, context, 'html')}>Data table and downloads</a> ·{' '}
        <a href={`/compare?id=${profile.id}&cycle=${cycle}`}>Compare with other candidates</a>
      </LinesFigure>
    </section>
  );
}

function Ages({ donors: { ages, cycle }, profile, context }: DonorsProps): VNode {
  if (ages.length === 0)
    return (
      <section>
        <h2>Ages</h2>
        <p>
          No principal committee of the candidate has donors in {cycle}.{' '}
          {profile.committees.some(({ cycles }) => cycles.includes(cycle)) ? (
            <>
              <a href="#committees">The committees below</a> link to the ages of their donors.
            </>
          ) : (
            <>
              Load the candidates and committees of the cycle:{' '}
              <code>bin/donorlens import fec --masters --cycle {cycle}</code>
            </>
          )}
        </p>
      </section>
    );
  const [{ part }] = ages;
  const name = committeeName(profile.committees.find(({ id }) => id === part.id)?.name ?? '') || part.id;
  if (ages.every((one) => one.part.known === 0))
    return (
      <section>
        <h2>Ages of the donors of {name}</h2>
        <p>No donor has an estimated age: their first names are not in the birth records.</p>
      </section>
    );
  const lists = {
    committee_id: [part.id],
    cycle: [String(cycle)],
    office: [profile.id[0]],
    basis: [ages[ages.length - 1].basis],
  };
  return (
    <>
      <AgeBases heading={`Ages of the donors of ${name}`} bases={ages} />
      <p>
        <a href={chartsUrl(AGE_DISTRIBUTION.path, lists, context, 'html')}>Data table and downloads</a>
      </p>
    </>
  );
}

function fileLink(
  table: DonorSection['table'],
  profile: CandidateProfile,
  { cycle }: CycleDonors,
  context: RequestContext,
  parameters: DonorSection['parameters'] = {},
): VNode {
  const { id } = profile;
  const lists = { candidate_id: [id], cycle: [String(cycle)], office: [id[0]], ...parameters };
  return <a href={fileUrl(table, lists, [nameOf(profile)], context, 'csv')}>CSV</a>;
}

interface CardProps extends DonorsProps {
  readonly section: DonorSection;
}

function Card({ section, donors, profile, context }: CardProps): VNode {
  const { id, title, table, parameters, about, unknown } = section;
  const bars = section.bars(donors);
  if (bars.length === 0)
    return (
      <figure>
        <h3>{title}</h3>
        <p>{section.missing(donors)}</p>
      </figure>
    );
  return (
    <figure>
      <h3>{isSmall(donors) ? title : `${title}: ${section.finding(bars)}`}</h3>
      <Bars id={id} title={title} description={describeBars(bars)} bars={bars} size={NARROW_BARS} />
      <figcaption>
        {about} {unknown?.(donors)} {fileLink(table, profile, donors, context, parameters)}
      </figcaption>
    </figure>
  );
}

/** Committees of the cycle, or of all cycles if the page shows no donors. */
function Committees({ profile: { committees, donors, id }, context }: Omit<PageProps, 'facts' | 'version'>): VNode {
  const own = committees.filter(({ cycles }) => donors === null || cycles.includes(donors.cycle));
  return (
    <section id="committees">
      <h2>Committees{donors && ` in ${donors.cycle}`}</h2>
      {own.length === 0 && <p>No committee of the candidate is on file.</p>}
      <ul>
        {own.map((one) => {
          const lists = { committee_id: [one.id], office: [id[0]], basis: ['adult'] };
          return (
            <li>
              <a href={chartsUrl(AGE_DISTRIBUTION.path, lists, context, 'html')}>
                <bdi>{committeeName(one.name) || one.id}</bdi>
              </a>{' '}
              <code>{one.id}</code>
              {one.isPrincipal && ', principal committee'}
              {donors === null && ` (${one.cycles.join(', ')})`}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
