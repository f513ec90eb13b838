import { type VNode } from 'preact';
import { type Lists } from '../../charts/list-parameters';
import { type AboutFacts } from '../../charts/about-facts';
import { type CandidateProfile, type CycleDonors } from '../../charts/candidate-profiles';
import { AGE_DISTRIBUTION, BREAKDOWN, CUMULATIVE_DONORS, type DataTable } from '../../charts/data-tables';
import { type AgesChart as Ages, type LinesChart } from '../../charts/donor-charts';
import { SMALL_GROUP } from '../../charts/donor-series';
import { AgesChart, NARROW_WIDTH, panelsOf, WIDE_WIDTH } from '../charts/ages/ages-chart';
import { ageNames, agesHeadline } from '../charts/ages/ages-headline';
import { agesDescription, AgesFigure, sizesOf } from '../charts/ages/ages-page';
import { AgesData, fileUrl } from '../charts/chart-data';
import { nameOf } from '../charts/chart-labels';
import { candidatePath, chartsUrl, type RequestContext } from '../charts/chart-subject';
import { candidateName } from '../charts/display-names';
import { LinesFigure } from '../charts/lines/lines-page';
import { Bars, type BarsSize, describeBars } from '../layout/bar-chart';
import { textOf } from '../layout/headline';
import { count } from '../layout/labels';
import { WideAndNarrow } from '../layout/picture';
import { DONOR_SECTIONS, type DonorSection, stateFinding, statesOf } from './donor-sections';
import { StateMap } from './state-map';

type Shown = CandidateProfile & { readonly donors: CycleDonors };

export interface Comparison {
  readonly kind: 'candidate' | 'committee';
  readonly ids: readonly string[];
  /** compared cycle; null if no id has donors */
  readonly cycle: number | null;
  /** cycles in which any id has donors, ascending */
  readonly cycles: readonly number[];
  readonly names: ReadonlyMap<string, string>;
  /** candidates with donors in the cycle, most first */
  readonly profiles: readonly Shown[];
  /** donors of the candidates over time; null for committees */
  readonly lines: LinesChart | null;
  /** ages of adults by name; for committees also ages of all donors together */
  readonly ages: readonly Ages[];
}

interface FilesProps {
  readonly table: DataTable;
  /** query parameters, without cycle and offices */
  readonly lists: Lists;
  readonly comparison: Comparison;
  readonly context: RequestContext;
}

/** Links to the files of a section; for charts the script adds PNG. */
function Files({ table, lists, comparison: { ids, names, cycle }, context }: FilesProps): VNode {
  const offices = ids.some((id) => id.startsWith('C')) ? ['P', 'S', 'H'] : [...new Set(ids.map((id) => id[0]))];
  const all = { ...lists, cycle: [String(cycle)], office: offices };
  const link = (format: string): string =>
    fileUrl(
      table,
      all,
      ids.map((id) => nameOf(names, id)),
      context,
      format,
    );
  return (
    <p class="files">
      Download: <a href={link('csv')}>CSV</a> · <a href={link('xlsx')}>Excel</a>
      {table.formats.includes('svg') && (
        <>
          {' · '}
          <a href={chartsUrl(table.path, all, context, 'svg')}>SVG</a>
        </>
      )}
    </p>
  );
}

const idsOf = ({ parts }: Ages): string[] => [...new Set(parts.map(({ id }) => id))];

interface LinesProps {
  readonly title: string;
  readonly comparison: Comparison;
  readonly lines: LinesChart;
  readonly context: RequestContext;
}

export function Lines({ title, comparison, lines, context }: LinesProps): VNode | null {
  if (lines.parts.length === 0) return null;
  return (
    <section>
      <h2>Donors over time</h2>
      <LinesFigure chart={lines} title={title} />
      <Files table={CUMULATIVE_DONORS} lists={{ candidate_id: comparison.ids }} {...{ comparison, context }} />
    </section>
  );
}

interface SectionsProps extends Pick<FilesProps, 'comparison' | 'context'> {
  readonly facts: AboutFacts;
}

export function Committees({ comparison, facts, context }: SectionsProps): VNode | null {
  const [adult, together] = comparison.ages;
  if (adult === undefined) return null;
  const files = (basis: string): VNode => (
    <Files
      table={AGE_DISTRIBUTION}
      lists={{ committee_id: comparison.ids, basis: [basis] }}
      {...{ comparison, context }}
    />
  );
  return (
    <>
      <section>
        <h2>Ages by name, 18 or older</h2>
        <AgesFigure chart={adult} title={textOf(agesHeadline(adult, facts))} basis={['adult']} adults={null} />
        {files('adult')}
      </section>
      {together && (
        <section>
          <h2>Ages of all donors together</h2>
          <AgesBeside chart={together} facts={facts} id="together" sizes={sizesOf(together.parts, ['donors'])} />
          {files('donors')}
        </section>
      )}
    </>
  );
}

interface AgesBesideProps {
  readonly chart: Ages;
  readonly facts: AboutFacts;
  readonly id: string;
  /** text with the number of people of each histogram; by default the donors of the cycle */
  readonly sizes?: readonly string[];
}

function AgesBeside({ chart, facts, id, sizes }: AgesBesideProps): VNode {
  const names = ageNames(chart);
  const shared = {
    parts: chart.parts,
    names: chart.parts.map((part) => names.get(part.id)!),
    sizes,
    title: textOf(agesHeadline(chart, facts)),
    description: agesDescription({ chart }),
  };
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_WIDTH}
        narrow={NARROW_WIDTH}
        draw={(size, width) => <AgesChart {...shared} id={`${id}-${size}`} width={width} />}
      />
      <AgesData parts={chart.parts} names={shared.names} frame={panelsOf(chart.parts, WIDE_WIDTH).frames[0]} />
    </figure>
  );
}

/** Ages, states and shares of donors of the candidates, with their files. */
export function Candidates({ comparison, facts, context }: SectionsProps): VNode | null {
  const { profiles, ages, ids } = comparison;
  if (profiles.length === 0) return null;
  return (
    <>
      {ages.map((chart) => (
        <section>
          <h2>Ages by name, 18 or older</h2>
          <p class="quiet">Donors of the largest principal committee of each candidate.</p>
          <AgesBeside chart={chart} facts={facts} id="ages" />
          <Files
            table={AGE_DISTRIBUTION}
            lists={{ committee_id: idsOf(chart), basis: ['adult'] }}
            {...{ comparison, context }}
          />
        </section>
      ))}
      <section>
        <h2>State</h2>
        <div class="beside maps">
          {profiles.map((profile) => (
            <figure>
              <CandidateCaption
                profile={profile}
                more={isSmall(profile) ? SMALL_GROUP_LABEL : stateFinding(statesOf(profile.donors))}
              />
              <StateMap
                id={`states-${profile.id}`}
                title={`Donors of ${shownName(profile)} by state`}
                states={statesOf(profile.donors)}
              />
            </figure>
          ))}
        </div>
        <Files table={BREAKDOWN} lists={{ candidate_id: ids, by: ['state'] }} {...{ comparison, context }} />
      </section>
      {DONOR_SECTIONS.filter(({ id }) => id !== 'age').map((section) => (
        <ComparedBars section={section} comparison={comparison} context={context} />
      ))}
    </>
  );
}

const SMALL_GROUP_LABEL = `fewer than ${SMALL_GROUP}`;

const isSmall = ({ donors }: Shown): boolean => donors.count < SMALL_GROUP;

const shownName = ({ id, name }: CandidateProfile): string => candidateName(name) || id;

const CandidateCaption = ({ profile, more }: { readonly profile: Shown; readonly more: string }): VNode => (
  <figcaption>
    <a href={candidatePath(profile.id, profile.donors.cycle)}>
      <bdi>{shownName(profile)}</bdi>
    </a>
    , {count(profile.donors.count)} {profile.donors.count === 1 ? 'donor' : 'donors'}
    {more !== '' && `: ${more}`}
  </figcaption>
);

/** Two columns are wider than more columns. */
const sizeOf = (columns: number): BarsSize => ({ width: columns > 2 ? 300 : 380, names: 0 });

interface ComparedBarsProps extends Omit<SectionsProps, 'facts'> {
  readonly section: DonorSection;
}

/** How many donors the shares leave out, because their value is unknown. */
function UnknownNote({
  section,
  donors,
}: Pick<ComparedBarsProps, 'section'> & { readonly donors: CycleDonors }): VNode | null {
  const note = section.unknown?.(donors) ?? '';
  return note === '' ? null : <p class="quiet">{note}</p>;
}

/** Bars of all candidates on a shared axis; a small group has a separate axis with a note. */
function ComparedBars({ section, comparison, context }: ComparedBarsProps): VNode {
  const { profiles, ids } = comparison;
  const columns = profiles.map((profile) => ({
    profile,
    bars: section.bars(profile.donors),
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
            <CandidateCaption profile={profile} more={hasOwnScale ? `${SMALL_GROUP_LABEL}, own scale` : ''} />
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
            <UnknownNote section={section} donors={profile.donors} />
          </figure>
        ))}
      </div>
      <Files table={section.table} lists={{ candidate_id: ids, ...section.parameters }} {...{ comparison, context }} />
    </section>
  );
}
