import { type VNode } from 'preact';
import { type BasisAges } from '../../../charts/donor-charts';
import { allOf, type DonorAges, SMALL_GROUP } from '../../../charts/donor-series';
import { textOf } from '../../layout/headline';
import { AGE_ERROR_YEARS, count } from '../../layout/labels';
import { renderPage } from '../../layout/layout';
import { WideAndNarrow } from '../../layout/picture';
import { ChartPage, type ChartPageProps, PartHeads } from '../chart-page';
import { AGES, basisLabel, chartsUrl } from '../chart-subject';
import { AgesChart, GROUP_YEARS, groupsOf, NARROW_WIDTH, panelsOf, WIDE_WIDTH } from './ages-chart';
import { ageNames, agesHeadline, agesSubtitle, withoutAge } from './ages-headline';
import { AgesData } from '../chart-data';
import { nameOf } from '../chart-labels';

interface AgesPageProps extends ChartPageProps<DonorAges> {
  /** Ages by each of the three bases, if the chart has one committee in one cycle; else empty. */
  readonly bases?: readonly BasisAges[];
}

/** Endpoint 6 as a page. */
export const renderAgesPage = (props: AgesPageProps): string => renderPage(<AgesPage {...props} />);

function AgesPage({ bases = [], ...props }: AgesPageProps): VNode {
  const headline = agesHeadline(props.chart, props.facts);
  const hasChildren = props.lists.basis.every((basis) => basis === 'all');
  const adults = chartsUrl(AGES.file.path, { ...props.lists, basis: ['adult'] }, props.context, 'html');
  return (
    <ChartPage
      subject={AGES}
      headline={headline}
      subtitle={agesSubtitle(props.chart)}
      figure={
        <AgesFigure
          chart={props.chart}
          title={textOf(headline)}
          basis={props.lists.basis}
          adults={hasChildren ? adults : null}
        />
      }
      method={<Method basis={props.lists.basis} />}
      {...props}
    >
      {bases.length === 3 && <AgeBases heading="The same donors" bases={bases} />}
      <Medians chart={props.chart} isTogether={props.lists.basis.includes('donors')} />
      <Groups chart={props.chart} />
    </ChartPage>
  );
}

type ChartOf = Pick<ChartPageProps<DonorAges>, 'chart'>;

/** Text alternative of the chart. */
export const agesDescription = ({ chart }: ChartOf): string => {
  const names = ageNames(chart);
  return `Share of donors by five-year age group. ${chart.parts
    .map((one) => `${names.get(one.id)} in ${one.cycle}: ${one.middle ? `median ${one.middle.median}` : 'no ages'}`)
    .join('; ')}.`;
};

interface FigureProps extends ChartOf {
  readonly title: string;
  readonly basis: readonly string[];
  /** URL of the same chart for people aged 18 or older; null if this is that chart */
  readonly adults: string | null;
}

/** Sizes of histograms of all donors together, which leave out donors without an age; undefined for other bases. */
export const sizesOf = (parts: readonly DonorAges[], basis: readonly string[]): string[] | undefined =>
  basis.includes('donors') ? parts.map(({ known, cycle }) => `${count(known)} with an age in ${cycle}`) : undefined;

/** The histograms with their numbers for the chart script. */
export function AgesFigure({ chart, title, basis, adults }: FigureProps): VNode {
  const names = ageNames(chart);
  const isOneCycle = chart.parts.every(({ cycle }) => cycle === chart.parts[0].cycle);
  const shared = {
    parts: chart.parts,
    names: chart.parts.map(({ id, cycle }) => `${names.get(id)}${isOneCycle ? '' : ` ${cycle}`}`),
    sizes: sizesOf(chart.parts, basis),
    title,
    description: agesDescription({ chart }),
  };
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_WIDTH}
        narrow={NARROW_WIDTH}
        draw={(id, width) => <AgesChart {...shared} id={id} width={width} />}
      />
      <figcaption>
        Share of donors with an estimated age in each five-year age group. The line is the median. Ages are estimated
        from {basisLabel(basis)}.{withoutAge(chart.parts)}
        {adults !== null && (
          <>
            {' '}
            Estimates include children with the donor&rsquo;s first name. <a href={adults}>Leave children out</a> for
            more accurate ages.
          </>
        )}
      </figcaption>
      <AgesData parts={chart.parts} names={shared.names} frame={panelsOf(chart.parts, WIDE_WIDTH).frames[0]} />
    </figure>
  );
}

interface BasesProps {
  readonly heading: string;
  readonly bases: readonly BasisAges[];
}

/** The bases side by side, on the same axes. */
export function AgeBases({ heading, bases }: BasesProps): VNode {
  const methods = bases.length === 3 ? 'three methods' : 'two methods'; // two before the ages of groups are estimated
  const shared = {
    parts: bases.map(({ part }) => part),
    names: bases.map(({ basis }) => SHORT_LABELS[basis]),
    sizes: bases.map(({ part }) => `${count(part.known)} with an age`),
    title: `Ages of the same donors by ${methods}`,
    description: bases
      .map(({ basis, part }) => `${SHORT_LABELS[basis]}: ${part.middle ? `median ${medianText(part)}` : 'no ages'}`)
      .join('; '),
  };
  const donors = bases.find(({ basis }) => basis === 'donors')?.part;
  return (
    <section>
      <h2>
        {heading} by {methods}
      </h2>
      <figure>
        <WideAndNarrow
          wide={WIDE_WIDTH}
          narrow={NARROW_WIDTH}
          draw={(id, width) => <AgesChart {...shared} id={`bases-${id}`} width={width} />}
        />
        <AgesData
          parts={shared.parts}
          names={shared.names}
          ids={bases.map(({ basis }) => basis)}
          frame={panelsOf(shared.parts, WIDE_WIDTH).frames[0]}
        />
      </figure>
      <p>
        By name, each donor has the median age of living people with the first name; the second chart leaves out people
        under 18.
        {donors &&
          ' All donors together have the ages that best explain all first names of the committee, which come closest in tests with people of known age.'}
        {donors && precision(donors)}
      </p>
    </section>
  );
}

/**
 * The 95 % interval of a median estimated from all donors together. That of a small group would mostly show the ages it
 * is shrunk toward.
 */
function precision({ known, middle }: DonorAges): string {
  if (middle === null) return '';
  if (known < SMALL_GROUP)
    return ` With fewer than ${SMALL_GROUP} donors, the estimate is shrunk toward the ages of the donors of all committees.`;
  const { interval } = middle;
  return interval ? ` The 95% interval of their median is ${interval.low} to ${interval.high}.` : '';
}

/** The median, with its 95 % interval if available and if the group is not small. */
function medianText({ known, middle }: DonorAges): string {
  if (middle === null) return '';
  const { median, interval } = middle;
  return interval && known >= SMALL_GROUP ? `${median} (${interval.low} to ${interval.high})` : String(median);
}

const SHORT_LABELS = { all: 'By name', adult: 'By name, 18 or older', donors: 'All donors together' } as const;

interface MediansProps extends ChartOf {
  /** Whether ages are estimated from all donors together, which leaves out donors whose first name has no adult age. */
  readonly isTogether: boolean;
}

function Medians({ chart, isTogether }: MediansProps): VNode {
  const { parts, names } = chart;
  const drawn = ageNames(chart);
  const counts = isTogether ? ['Donors with an age'] : ['Donors', 'Without age'];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Donors, median age and interquartile range">
      <table class="names">
        <thead>
          <tr>
            {['Committee', 'Cycle', 'Median', 'Interquartile range', ...counts].map((label) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.map((one) => (
            <tr>
              <th scope="row">
                <bdi>{nameOf(names, one.id)}</bdi> <code>{one.id}</code>
                {drawn.get(one.id) !== nameOf(names, one.id) && ` of ${drawn.get(one.id)}`}
              </th>
              <td>{one.cycle}</td>
              <td>{medianText(one)}</td>
              <td>{one.middle && `${one.middle.q25} to ${one.middle.q75}`}</td>
              <td>{count(allOf(one))}</td>
              {!isTogether && <td>{count(one.unknown)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Groups({ chart }: ChartOf): VNode {
  const groups = chart.parts.map(groupsOf);
  const most = Math.max(...groups.map(({ length }) => length));
  const rows = Array.from({ length: most }, (_, at) => at).filter((at) => groups.some((one) => (one[at] ?? 0) > 0));
  return (
    <details>
      <summary>Data table, by five-year age group</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Donors by age group">
        <table>
          <PartHeads first="Age" chart={chart} />
          <tbody>
            {rows.map((at) => (
              <tr>
                <th scope="row">
                  {at * GROUP_YEARS} to {(at + 1) * GROUP_YEARS - 1}
                </th>
                {groups.map((one) => (
                  <td>{count(one[at] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const ofDonors = (
  <p>
    These ages are estimated from the first names of all donors of a committee together. An age by a single name is that
    of all people with the name, and donors are older. Donors whose first name has no known age among adults are left
    out.
  </p>
);

const Method = ({ basis }: { readonly basis: readonly string[] }): VNode => (
  <>
    {basis.includes('donors') ? ofDonors : <ByName isAdult={basis.includes('adult')} />}
    <p>
      Two contributions belong to one donor if first name, surname and the first five digits of the ZIP code agree. The
      chart groups ages by five years, because a first name does not tell an age more closely. The CSV has single years.
      Medians are ranked if their 95% intervals do not overlap.
    </p>
  </>
);

const ByName = ({ isAdult }: { readonly isAdult: boolean }): VNode => (
  <p>
    A donor&rsquo;s age is the median age of living people with the donor&rsquo;s first name
    {isAdult && ' who are 18 or older'}, on the day of the first counted contribution to the committee in the cycle.
    Ages are more reliable for groups than for one person. Donors are older than other people with their names: for
    members of Congress, the estimate was {isAdult ? AGE_ERROR_YEARS.adult : AGE_ERROR_YEARS.name} years too low
    {isAdult ? '.' : `, and ${AGE_ERROR_YEARS.adult} when only people aged 18 or older count.`} Names outside the
    national birth records, or without living people{isAdult && ' of that age'}, have no age.
  </p>
);
