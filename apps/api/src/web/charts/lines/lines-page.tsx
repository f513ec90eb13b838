import { civilDay, firstDayOfCycle, parseCivilDay } from '@donorlens/primitives';
import { type ComponentChildren, type VNode } from 'preact';
import { type AboutFacts } from '../../../charts/about-facts';
import { type DonorLine, lastOf, SMALL_GROUP } from '../../../charts/donor-series';
import { type HeadlinePart, joinParts, plain, strong, textOf } from '../../layout/headline';
import { count, longDate, MONTHS, percent } from '../../layout/labels';
import { renderPage } from '../../layout/layout';
import { type ChartSize, WideAndNarrow } from '../../layout/picture';
import { LinesData } from '../chart-data';
import { labelsOf, nameOf } from '../chart-labels';
import { ChartPage, type ChartPageProps, PartHeads } from '../chart-page';
import { LINES } from '../chart-subject';
import { inCycles, mayBeIncomplete } from '../data-notices';
import { LinesChart } from './lines-chart';
import { NARROW_LINES, WIDE_LINES } from './lines-geometry';

/** If there are more candidates, the headline counts them instead of naming them. */
const MAX_NAMES = 3;

/** Endpoint 7 as a page. */
export const renderLinesPage = (props: ChartPageProps<DonorLine>): string => renderPage(<LinesPage {...props} />);

export function LinesPage(props: ChartPageProps<DonorLine>): VNode {
  const headline = linesHeadline(props.chart, props.facts);
  return (
    <ChartPage
      subject={LINES}
      headline={headline}
      subtitle={linesSubtitle(props.chart)}
      figure={<LinesFigure chart={props.chart} title={textOf(headline)} />}
      method={<Method />}
      {...props}
    >
      <Months chart={props.chart} />
    </ChartPage>
  );
}

type ChartOf = Pick<ChartPageProps<DonorLine>, 'chart'>;

/** Text alternative of the chart. */
export const linesDescription = ({ chart: { parts, names } }: ChartOf): string =>
  `Unique donors from the first day of the cycle to the last one shown: ${parts
    .map((one) => `${nameOf(names, one.id)} in ${one.cycle} ${count(lastOf(one))}`)
    .join('; ')}.`;

interface FigureProps extends ChartOf {
  readonly title: string;
  readonly wide?: ChartSize;
  /** Caption; by default a description of the lines. */
  readonly children?: ComponentChildren;
}

/** The lines with their numbers for the chart script. */
export function LinesFigure({ chart, title, wide = WIDE_LINES, children }: FigureProps): VNode {
  const labels = labelsOf(chart.parts, chart.names);
  const shared = { lines: chart.parts, labels, title, description: linesDescription({ chart }) };
  return (
    <figure>
      <WideAndNarrow
        wide={wide}
        narrow={NARROW_LINES}
        draw={(id, size) => <LinesChart {...shared} id={id} size={size} />}
      />
      <figcaption>
        {children ??
          'Unique donors from the first day of the cycle to the newest contribution to candidates for the same office.'}
      </figcaption>
      <LinesData
        parts={chart.parts}
        names={labels.map(({ name, cycle }) => (cycle === null ? name : `${name} ${cycle}`))}
      />
    </figure>
  );
}

/** Table of the donors at the end of each month that has data. */
function Months({ chart }: ChartOf): VNode {
  const { parts } = chart;
  const months = Array.from({ length: 24 }, (_, at) => at).filter((at) =>
    parts.some((one) => monthEnd(one, at) !== null),
  );
  return (
    <details>
      <summary>Data table, by month</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Donors by month">
        <table>
          <PartHeads first="End of" chart={chart} />
          <tbody>
            {months.map((at) => (
              <tr>
                <th scope="row">{monthLabel(at, parts)}</th>
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

/** `January 2015`; of charts of several cycles `January, first year`. */
function monthLabel(month: number, parts: readonly DonorLine[]): string {
  const [{ cycle }] = parts;
  const name = MONTHS[month % 12];
  if (parts.every((one) => one.cycle === cycle)) return `${name} ${month < 12 ? cycle - 1 : cycle}`;
  return `${name}, ${month < 12 ? 'first' : 'second'} year`;
}

/** Donors at the end of a month, 0 to 23, or of a line that ends in that month; null for later months. */
function monthEnd({ cycle, donors }: DonorLine, month: number): number | null {
  const year = cycle - 1 + Math.floor(month / 12);
  const dayOf = (at: number): number => civilDay(year + Math.floor(at / 12), (at % 12) + 1, 1) - firstDayOfCycle(cycle);
  const [first, next] = [dayOf(month % 12), dayOf((month % 12) + 1)];
  return donors.length <= first ? null : donors[Math.min(next, donors.length) - 1];
}

const Method = (): VNode => (
  <>
    <p>
      A donor is counted once in a cycle, on the day of the first counted contribution. Two contributions belong to one
      donor if first name, surname and the first five digits of the ZIP code agree. The chart includes donors of every
      committee that belongs to the candidate or raises money jointly for the candidate.
    </p>
    <p>
      A cycle is two years and is named for the even one that ends it. Contributions under $200 are included only if a
      committee or a conduit itemizes them, so many small donors are missing.
    </p>
  </>
);

/**
 * The finding of the lines, in one sentence. It gives no ratio to a number below SMALL_GROUP or to one that may be
 * incomplete.
 */
export function linesHeadline({ parts, names }: ChartOf['chart'], facts: AboutFacts): HeadlinePart[] {
  const [most, next] = parts;
  const isOneCycle = parts.every(({ cycle }) => cycle === most.cycle);
  const cycles = parts.map(({ cycle }) => cycle);
  const end = plain(inCycles(facts, cycles));
  const name = (one: DonorLine): HeadlinePart[] => [
    strong(nameOf(names, one.id)),
    plain(isOneCycle ? '' : ` (${one.cycle})`),
  ];
  const all = lastOf(most);
  if (next === undefined) return [...name(most), plain(' had '), strong(donorsText(all)), end];
  const first = parts.filter((one) => lastOf(one) === all);
  if (first.length > MAX_NAMES) return [strong(`${first.length} candidates`), plain(' had equally many donors'), end];
  if (first.length > 1) return [...joinParts(first.map(name)), plain(' had equally many donors'), end];
  const other = lastOf(next);
  if (other < SMALL_GROUP || mayBeIncomplete(facts, cycles)) {
    const number = other === 0 ? plain(' none') : plain(` ${count(other)}`);
    return [...name(most), plain(' had '), strong(donorsText(all)), end, plain(', '), ...name(next), number];
  }
  return [...name(most), plain(' had '), ...ratio(all / other), ...name(next), end];
}

/** `20% more donors than `, `3 times as many donors as `. */
const ratio = (times: number): HeadlinePart[] =>
  times < 1.95
    ? [strong(`${percent(times - 1)} more donors`), plain(' than ')]
    : [strong(`${Math.round(times * 10) / 10} times as many donors`), plain(' as ')];

const donorsText = (donors: number): string => `${count(donors)} donor${donors === 1 ? '' : 's'}`;

/** The numbers behind the headline. */
export function linesSubtitle({ parts, names }: ChartOf['chart']): string {
  const isOneCycle = parts.every(({ cycle }) => cycle === parts[0].cycle);
  const [first, second] = parts;
  if (second !== undefined && first.until === second.until) {
    const counts = [first, second].map((one) => `${nameOf(names, one.id)} ${count(lastOf(one))}`);
    return `Unique donors until ${longDate(parseCivilDay(first.until))}: ${counts.join(', ')}.`;
  }
  const shown = parts
    .slice(0, 2)
    .map((one) => `${nameOf(names, one.id)}${isOneCycle ? '' : ` (${one.cycle})`} ${countWithDate(one)}`);
  if (parts.length > 1) return `Unique donors: ${shown.join(', ')}.`;
  const [one] = parts;
  const all = lastOf(one);
  const total = `${donorsText(all)} by ${longDate(parseCivilDay(one.until))}`;
  if (all < 2) return `${total}.`;
  const half = firstDayOfCycle(one.cycle) + one.donors.findIndex((donors) => donors >= all / 2);
  return `${total}; half of them had given by ${longDate(half)}.`;
}

const countWithDate = (one: DonorLine): string => `${count(lastOf(one))} by ${longDate(parseCivilDay(one.until))}`;
