import { type VNode } from 'preact';
import { type AboutFacts } from '../../charts/about-facts';
import { type CandidateProfile, type CycleDonors } from '../../charts/candidate-profiles';
import { AGE_DISTRIBUTION, CUMULATIVE_DONORS } from '../../charts/data-tables';
import { type AgesChart as Ages, type LinesChart } from '../../charts/donor-charts';
import { SMALL_GROUP } from '../../charts/donor-series';
import { AgesChart, NARROW_WIDTH, WIDE_WIDTH } from '../charts/ages/ages-chart';
import { ageNames, agesHeadline, agesSubtitle } from '../charts/ages/ages-headline';
import { agesDescription, AgesFigure } from '../charts/ages/ages-page';
import { nameOf } from '../charts/chart-labels';
import { BASIS_LABELS, candidatePath, chartsUrl, type Lists, type RequestContext } from '../charts/chart-subject';
import { DataNotices, ImportCommand } from '../charts/data-notices';
import { candidateName } from '../charts/display-names';
import { LinesFigure, linesHeadline, linesSubtitle } from '../charts/lines/lines-page';
import { Bars, type BarsSize, describeBars } from '../layout/bar-chart';
import { type HeadlinePart, HeadlineText, plain, textOf } from '../layout/headline';
import { count } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { WideAndNarrow } from '../layout/picture';
import { type Hit } from '../search/search-index';
import { DONOR_SECTIONS, type DonorSection, stateFinding, statesOf } from './donor-sections';
import { StateMap } from './state-map';

/** More do not fit beside each other. */
export const MAX_COMPARED = 4;

type Shown = CandidateProfile & { readonly donors: CycleDonors };

export interface Comparison {
  readonly kind: 'candidate' | 'committee';
  readonly ids: readonly string[];
  /** null if none of them has donors */
  readonly cycle: number | null;
  /** in which any of them has donors, ascending */
  readonly cycles: readonly number[];
  readonly names: ReadonlyMap<string, string>;
  /** candidates with donors in the cycle, most first */
  readonly profiles: readonly Shown[];
  /** of candidates */
  readonly lines: LinesChart | null;
  /** by name of adults; of committees also by all donors together */
  readonly ages: readonly Ages[];
}

interface PageProps {
  readonly comparison: Comparison;
  /** what was searched for; '' if nothing */
  readonly text: string;
  /** null without a search */
  readonly found: readonly Hit[] | null;
  /** where nothing was found: those whose spelling is near */
  readonly near: readonly Hit[];
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

/** Candidates or committees side by side, and the form to choose them. */
export const renderComparePage = (props: PageProps): string => renderPage(<ComparePage {...props} />);

function ComparePage({ comparison, facts, context, ...search }: PageProps): VNode {
  const { kind, cycle, lines, ages } = comparison;
  const headline = headlineOf(comparison, facts);
  const hasChart = (lines?.parts.length ?? 0) > 0 || (kind === 'committee' && ages.length > 0);
  const scripts = hasChart ? ['search', 'charts'] : ['search'];
  const subtitle = lines ? linesSubtitle(lines) : ages.length > 0 ? agesSubtitle(ages[0]) : '';
  return (
    <Layout title={textOf(headline)} user={context.user} section="/data-charts/v1/about" scripts={scripts}>
      <p class="eyebrow">Comparison</p>
      <HeadlineText parts={headline} />
      {subtitle !== '' && <p class="lede">{subtitle}</p>}
      <DataNotices facts={facts} cycles={cycle === null ? [] : [cycle]} />
      <Selection comparison={comparison} {...search} />
      {comparison.ids.length === 0 && <Examples facts={facts} />}
      {lines && <Lines title={textOf(headline)} {...{ comparison, lines, context }} />}
      {kind === 'candidate' ? (
        <Candidates comparison={comparison} loaded={facts.cycles.map((one) => one.cycle)} />
      ) : (
        <Committees comparison={comparison} context={context} />
      )}
    </Layout>
  );
}

function headlineOf({ ids, lines, ages }: Comparison, facts: AboutFacts): readonly HeadlinePart[] {
  if (lines && lines.parts.length > 0) return linesHeadline(lines, facts);
  if (ages.length > 0) return agesHeadline(ages[0]);
  return [plain(ids.length === 0 ? 'Compare up to 4 candidates or committees' : 'No donors match this selection')];
}

/** The address of this page. */
function compareUrl(ids: readonly string[], cycle: number | null): string {
  const query = new URLSearchParams(ids.map((id) => ['id', id]));
  if (cycle !== null) query.set('cycle', String(cycle));
  return query.size === 0 ? '/compare' : `/compare?${query}`;
}

type SelectionProps = Pick<PageProps, 'comparison' | 'text' | 'found' | 'near'>;

const Chosen = ({ comparison: { ids, names, cycle } }: Pick<PageProps, 'comparison'>): VNode => (
  <ul class="chosen">
    {ids.map((id) => (
      <li>
        <bdi>{nameOf(names, id)}</bdi> <code>{id}</code>{' '}
        <a
          href={compareUrl(
            ids.filter((other) => other !== id),
            cycle,
          )}
          aria-label={`Remove ${nameOf(names, id)}`}
        >
          Remove
        </a>
      </li>
    ))}
  </ul>
);

function Selection({ comparison, text, found, near }: SelectionProps): VNode {
  const { ids, kind, cycle, cycles } = comparison;
  const what = ids.length === 0 ? 'Candidate or committee' : `Add a ${kind}`;
  const kinds = ids.length === 0 ? 'kind=candidate&kind=committee' : `kind=${kind}`;
  return (
    <section aria-label="Selection">
      <Chosen comparison={comparison} />
      {ids.length < MAX_COMPARED ? (
        <form
          class="search"
          method="get"
          action="/compare"
          data-suggest={`/search/suggestions?${kinds}`}
          data-pick="id"
        >
          {ids.map((id) => (
            <input type="hidden" name="id" value={id} />
          ))}
          {cycle !== null && <input type="hidden" name="cycle" value={cycle} />}
          <label>
            {what}
            <input type="search" name="q" value={text} maxLength={200} required autocomplete="off" />
          </label>
          <button type="submit">Search</button>
        </form>
      ) : (
        <p class="quiet">These are {MAX_COMPARED}: remove one to add another.</p>
      )}
      {found && (
        <Found
          text={text}
          hits={found.length > 0 ? found : near}
          isNear={found.length === 0}
          add={(id) => compareUrl([...ids, id], cycle)}
        />
      )}
      {cycles.length > 1 && (
        <nav class="contents" aria-label="Cycles">
          {cycles.map((one) => (
            <a href={compareUrl(ids, one)} aria-current={one === cycle ? 'true' : undefined}>
              {one}
            </a>
          ))}
        </nav>
      )}
    </section>
  );
}

interface FoundProps {
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly isNear: boolean;
  readonly add: (id: string) => string;
}

const Found = ({ text, hits, isNear, add }: FoundProps): VNode => (
  <div id="found">
    <p>{isNear ? `No match for “${text}”.${hits.length > 0 ? ' Did you mean:' : ''}` : `Matches for “${text}”:`}</p>
    <ul>
      {hits.map(({ id, label, note }) => (
        <li>
          <a href={add(id)}>
            <bdi>{label}</bdi>
          </a>
          , {note}
        </li>
      ))}
    </ul>
  </div>
);

/** Comparisons of the candidates with the most donors. */
function Examples({ facts: { index } }: Pick<PageProps, 'facts'>): VNode | null {
  const cycles = [...new Set(index.map(({ cycle }) => cycle))];
  const pairs = cycles.flatMap((cycle) => {
    const [first, second] = index.filter((one) => one.cycle === cycle);
    return first && second ? [{ cycle, first, second }] : [];
  });
  if (index.length === 0)
    return (
      <p>
        No contributions are loaded. Load the FEC&rsquo;s files of a cycle: <ImportCommand />
      </p>
    );
  return (
    <>
      <h2>The largest candidates</h2>
      <ul>
        {pairs.map(({ cycle, first, second }) => (
          <li>
            <a href={compareUrl([first.candidateId, second.candidateId], cycle)}>
              {candidateName(first.name)} and {candidateName(second.name)} in {cycle}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The files of the first chart; the script adds PNG. */
function Files({ path, lists, context }: { path: string; lists: Lists; context: RequestContext }): VNode {
  const link = (format: string): string => chartsUrl(path, lists, context, format);
  return (
    <p class="files">
      Download: <a href={link('csv')}>CSV</a> · <a href={link('xlsx')}>Excel</a> · <a href={link('svg')}>SVG</a>
    </p>
  );
}

const officesOf = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id[0]))];

interface LinesProps {
  readonly title: string;
  readonly comparison: Comparison;
  readonly lines: LinesChart;
  readonly context: RequestContext;
}

function Lines({ title, comparison: { ids, cycle }, lines, context }: LinesProps): VNode | null {
  if (lines.parts.length === 0) return null;
  const lists = { candidate_id: ids, cycle: [String(cycle)], office: officesOf(ids) };
  return (
    <section>
      <h2>Donors over time</h2>
      <LinesFigure chart={lines} title={title} />
      <Files path={CUMULATIVE_DONORS.path} lists={lists} context={context} />
    </section>
  );
}

function Committees({
  comparison: { ids, cycle, ages },
  context,
}: Pick<PageProps, 'comparison' | 'context'>): VNode | null {
  const [adult, together] = ages;
  if (adult === undefined) return null;
  const lists = { committee_id: ids, cycle: [String(cycle)], office: ['P', 'S', 'H'], basis: ['adult'] };
  return (
    <>
      <section>
        <h2>Ages by name, 18 or older</h2>
        <AgesFigure chart={adult} title={textOf(agesHeadline(adult))} basis={BASIS_LABELS.adult} adults={null} />
        <Files path={AGE_DISTRIBUTION.path} lists={lists} context={context} />
      </section>
      {together && (
        <section>
          <h2>Ages of all donors together</h2>
          <AgesBeside chart={together} id="together" />
        </section>
      )}
    </>
  );
}

function AgesBeside({ chart, id }: { readonly chart: Ages; readonly id: string }): VNode {
  const names = ageNames(chart);
  const shared = {
    parts: chart.parts,
    names: chart.parts.map((part) => names.get(part.id)!),
    title: textOf(agesHeadline(chart)),
    description: agesDescription({ chart }),
  };
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_WIDTH}
        narrow={NARROW_WIDTH}
        draw={(size, width) => <AgesChart {...shared} id={`${id}-${size}`} width={width} />}
      />
    </figure>
  );
}

interface CandidatesProps {
  readonly comparison: Comparison;
  readonly loaded: readonly number[];
}

function Candidates({ comparison: { profiles, ages, ids, cycle, names }, loaded }: CandidatesProps): VNode | null {
  if (profiles.length === 0) return null;
  const without = ids.filter((id) => !profiles.some((one) => one.id === id));
  return (
    <>
      {without.length > 0 && (
        <p>
          Without donors in {cycle}: {without.map((id) => nameOf(names, id)).join(', ')}.
        </p>
      )}
      {ages.map((chart) => (
        <section>
          <h2>Ages by name, 18 or older</h2>
          <p class="quiet">Donors of the largest principal committee of each candidate.</p>
          <AgesBeside chart={chart} id="ages" />
        </section>
      ))}
      <section>
        <h2>State</h2>
        <div class="beside">
          {profiles.map((profile) => (
            <figure>
              <Who profile={profile} more={isSmall(profile) ? '' : stateFinding(statesOf(profile.donors))} />
              <StateMap
                id={`states-${profile.id}`}
                title={`Donors of ${shownName(profile)} by state`}
                states={statesOf(profile.donors)}
              />
            </figure>
          ))}
        </div>
      </section>
      {DONOR_SECTIONS.filter(({ id }) => id !== 'age').map((section) => (
        <Beside section={section} profiles={profiles} loaded={loaded} />
      ))}
    </>
  );
}

const isSmall = ({ donors }: Shown): boolean => donors.count < SMALL_GROUP;

const shownName = ({ id, name }: CandidateProfile): string => candidateName(name) || id;

const Who = ({ profile, more }: { readonly profile: Shown; readonly more: string }): VNode => (
  <figcaption>
    <a href={candidatePath(profile.id, profile.donors.cycle)}>
      <bdi>{shownName(profile)}</bdi>
    </a>
    , {count(profile.donors.count)} {profile.donors.count === 1 ? 'donor' : 'donors'}
    {more !== '' && `: ${more}`}
  </figcaption>
);

/** Fewer columns are wider. */
const sizeOf = (columns: number): BarsSize => ({ width: columns > 2 ? 300 : 380, names: 0 });

interface BesideProps {
  readonly section: DonorSection;
  readonly profiles: readonly Shown[];
  readonly loaded: readonly number[];
}

/** Bars of all candidates on one axis; those of a small group have their own, and say so. */
function Beside({ section, profiles, loaded }: BesideProps): VNode {
  const columns = profiles.map((profile) => ({
    profile,
    bars: section.bars(profile.donors, loaded),
    hasOwnScale: isSmall(profile),
  }));
  if (columns.every(({ bars }) => bars.length === 0))
    return (
      <section>
        <h2>{section.title}</h2>
        <p>{section.missing(profiles[0].donors)}</p>
      </section>
    );
  const shared = columns.flatMap(({ bars, hasOwnScale }) => (hasOwnScale ? [] : bars.map(({ share }) => share)));
  return (
    <section>
      <h2>{section.title}</h2>
      {section.about !== undefined && <p class="quiet">{section.about}</p>}
      <div class="beside">
        {columns.map(({ profile, bars, hasOwnScale }) => (
          <figure>
            <Who profile={profile} more={hasOwnScale ? `fewer than ${SMALL_GROUP}, own scale` : ''} />
            {bars.length === 0 ? (
              <p>{section.missing(profile.donors)}</p>
            ) : (
              <Bars
                id={`${section.id}-${profile.id}`}
                title={`${section.title}: ${shownName(profile)}`}
                description={describeBars(bars)}
                bars={bars}
                size={sizeOf(columns.length)}
                most={hasOwnScale ? undefined : Math.max(...shared)}
              />
            )}
          </figure>
        ))}
      </div>
    </section>
  );
}
