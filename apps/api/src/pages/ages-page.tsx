import { type VNode } from 'preact';
import { allOf, type DonorAges } from '../data-charts/donor-ages';
import { AgesChart } from './ages-chart';
import { GROUP_YEARS, groupsOf, NARROW_WIDTH, WIDE_WIDTH } from './ages-frame';
import { agesHeadline, withoutAge } from './ages-headline';
import { ChartPage, type ChartPageProps } from './chart-page';
import { AGES } from './chart-subject';
import { nameOf } from './drawn-names';
import { textOf } from './headline';
import { renderPage } from './layout';
import { PartHeads } from './part-heads';
import { WideAndNarrow } from './picture';
import { chartsUrl } from './visit';
import { count } from './words';

/** Endpoint 6 for people. */
export const renderAgesPage = (props: ChartPageProps<DonorAges>): string => renderPage(<AgesPage {...props} />);

function AgesPage(props: ChartPageProps<DonorAges>): VNode {
  const headline = agesHeadline(props.chart);
  const isAdult = props.lists.basis.includes('adult');
  const adults = chartsUrl(AGES.file.path, { ...props.lists, basis: ['adult'] }, props.visit, 'html');
  return (
    <ChartPage
      subject={AGES}
      headline={headline}
      figure={<Figure chart={props.chart} title={textOf(headline)} adults={isAdult ? null : adults} />}
      method={<Method isAdult={isAdult} />}
      {...props}
    >
      <Middles chart={props.chart} />
      <Groups chart={props.chart} />
    </ChartPage>
  );
}

type ChartOf = Pick<ChartPageProps<DonorAges>, 'chart'>;

/** What a reader who does not see the picture has of it. */
export const agesDescription = ({ chart: { parts, names } }: ChartOf): string =>
  `Share of the donors with an age in each group of five years. ${parts
    .map((one) => `${nameOf(names, one.id)} in ${one.cycle}: ${one.middle ? `median ${one.middle.median}` : 'no ages'}`)
    .join('; ')}.`;

interface FigureProps extends ChartOf {
  readonly title: string;
  /** the same question of those who have reached 18; null where that is what was asked */
  readonly adults: string | null;
}

function Figure({ chart, title, adults }: FigureProps): VNode {
  const names = chart.parts.map(({ id }) => nameOf(chart.names, id));
  const shared = { parts: chart.parts, names, title, description: agesDescription({ chart }) };
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_WIDTH}
        narrow={NARROW_WIDTH}
        draw={(id, width) => <AgesChart {...shared} id={id} width={width} />}
      />
      <figcaption>
        Of the donors with an estimated age, the share in each group of five years; the line is the median.
        {withoutAge(chart.parts)}
        {adults !== null && (
          <>
            {' '}
            Children who bear a donor&rsquo;s name count too: <a href={adults}>without them</a> the ages are nearer to
            those of donors.
          </>
        )}
      </figcaption>
    </figure>
  );
}

function Middles({ chart: { parts, names } }: ChartOf): VNode {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Donors and the middle of their ages">
      <table class="names">
        <thead>
          <tr>
            {['Committee', 'Cycle', 'Donors', 'Without age', 'Median', 'Middle half'].map((words) => (
              <th scope="col">{words}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.map((one) => (
            <tr>
              <th scope="row">
                <bdi>{nameOf(names, one.id)}</bdi> <code>{one.id}</code>
              </th>
              <td>{one.cycle}</td>
              <td>{count(allOf(one))}</td>
              <td>{count(one.unknown)}</td>
              <td>{one.middle?.median}</td>
              <td>{one.middle && `${one.middle.q25} to ${one.middle.q75}`}</td>
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
      <summary>The numbers behind the chart, by group of five years</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Donors by group of ages">
        <table>
          <PartHeads first="Age" parts={chart.parts} names={chart.names} />
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

const Method = ({ isAdult }: { readonly isAdult: boolean }): VNode => (
  <>
    <p>
      A donor&rsquo;s age is the median age of the living bearers of the first name
      {isAdult && ' who have reached 18'}, on the day of the first counted contribution to the committee in the cycle:
      right for a group more than for one person. Donors are older than the bearers of their names: of 1,751 people
      whose ages were known, the estimate was {isAdult ? '3.9' : '8.4'} years too low
      {isAdult ? '.' : ', and 3.9 counting only those who have reached 18.'} Names outside the national birth records
      have no age.
    </p>
    <p>
      Two contributions are one donor&rsquo;s when first name, surname and the first five digits of the ZIP agree. The
      picture groups ages by five years, since a name tells an age no closer; the CSV has single years.
    </p>
  </>
);
