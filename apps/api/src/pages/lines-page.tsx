import { civilDay, firstDayOfCycle } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type DonorLine, lastOf } from '../data-charts/donor-lines';
import { ChartPage, type ChartPageProps } from './chart-page';
import { LINES } from './chart-subject';
import { labelsOf, nameOf } from './drawn-names';
import { textOf } from './headline';
import { renderPage } from './layout';
import { LinesChart } from './lines-chart';
import { NARROW_LINES, WIDE_LINES } from './lines-frame';
import { linesHeadline } from './lines-headline';
import { PartHeads } from './part-heads';
import { WideAndNarrow } from './picture';
import { count, MONTHS } from './words';

/** Endpoint 7 for people. */
export const renderLinesPage = (props: ChartPageProps<DonorLine>): string => renderPage(<LinesPage {...props} />);

export function LinesPage(props: ChartPageProps<DonorLine>): VNode {
  const headline = linesHeadline(props.chart);
  return (
    <ChartPage
      subject={LINES}
      headline={headline}
      figure={<Figure chart={props.chart} title={textOf(headline)} />}
      method={<Method />}
      {...props}
    >
      <Months chart={props.chart} />
    </ChartPage>
  );
}

type ChartOf = Pick<ChartPageProps<DonorLine>, 'chart'>;

/** What a reader who does not see the picture has of it. */
export const linesDescription = ({ chart: { parts, names } }: ChartOf): string =>
  `Different donors since the first day of the cycle, at their last day: ${parts
    .map((one) => `${nameOf(names, one.id)} in ${one.cycle} ${count(lastOf(one))}`)
    .join('; ')}.`;

function Figure({ chart, title }: ChartOf & { readonly title: string }): VNode {
  const labels = labelsOf(chart.parts, chart.names);
  const shared = { lines: chart.parts, labels, title, description: linesDescription({ chart }) };
  return (
    <figure>
      <WideAndNarrow
        wide={WIDE_LINES}
        narrow={NARROW_LINES}
        draw={(id, size) => <LinesChart {...shared} id={id} size={size} />}
      />
      <figcaption>
        Different donors of each candidate, counted from the first day of the cycle to its newest contribution.
      </figcaption>
    </figure>
  );
}

/** The number at the end of each month, as far as there is one. */
function Months({ chart: { parts, names } }: ChartOf): VNode {
  const months = Array.from({ length: 24 }, (_, at) => at).filter((at) =>
    parts.some((one) => monthEnd(one, at) !== null),
  );
  return (
    <details>
      <summary>The numbers behind the chart, by month</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Donors by month">
        <table>
          <PartHeads first="Up to the end of" parts={parts} names={names} />
          <tbody>
            {months.map((at) => (
              <tr>
                <th scope="row">
                  {MONTHS[at % 12]}, {at < 12 ? 'first' : 'second'} year
                </th>
                {parts.map((one) => {
                  const donors = monthEnd(one, at);
                  return <td>{donors === null ? '' : count(donors)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Donors at the end of a month, 0 to 23, or at the end of the line where it is in that month; null after it. */
function monthEnd({ cycle, donors }: DonorLine, month: number): number | null {
  const year = cycle - 1 + Math.floor(month / 12);
  const dayOf = (at: number): number => civilDay(year + Math.floor(at / 12), (at % 12) + 1, 1) - firstDayOfCycle(cycle);
  const [first, next] = [dayOf(month % 12), dayOf((month % 12) + 1)];
  return donors.length <= first ? null : donors[Math.min(next, donors.length) - 1];
}

const Method = (): VNode => (
  <>
    <p>
      A donor is counted once in a cycle, on the day of the first contribution that counts; a day without a new donor
      repeats the number. Two contributions are one donor&rsquo;s when first name, surname and the first five digits of
      the ZIP agree. Donors of all committees count that belong to the candidate or raise money jointly for them.
    </p>
    <p>
      A cycle is two years, named for the even one that ends it. Gifts under 200 dollars are here where somebody lists
      them, so the numbers are lower bounds.
    </p>
  </>
);
