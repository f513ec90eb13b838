import { type AgeDistribution, type Gender, type Quartiles } from '@donorlens/demographics';
import { type VNode } from 'preact';
import { type AgeAnswer } from '../../lookups/age-gender-results';
import { AgeChart } from './age-chart';
import { headline } from './age-headline';
import { count, longDate, sexShare } from '../layout/labels';
import { NARROW, WIDE, WideAndNarrow } from '../layout/picture';
import { DataBlock, fileName } from '../charts/chart-data';
import { type ChartData, chartData, type ChartPoint } from './age-geometry';

export interface KnownProps {
  readonly answer: AgeAnswer;
  readonly distribution: AgeDistribution;
}

/** Minimum number of birth years for a curve; the data table shows fewer. */
const MIN_POINTS = 2;

/** Whether the page has a chart. */
export const hasCurve = ({ distribution, on }: AgeAnswer): boolean =>
  distribution !== null && chartData(distribution, on).points.length >= MIN_POINTS;

/** Minimum share of the living for a separate figure of a sex. */
const MIN_SHARE = 0.1;

const middleOf = ({ median, q25, q75 }: Quartiles, whose: string): string =>
  median === null ? '' : ` Half of the ${whose} are ${q25} to ${q75} years old; the median is ${median}.`;

const descriptionOf = (ages: Quartiles, whose = 'living'): string =>
  `By year of birth: births as a line, living people as an area.${middleOf(ages, whose)}`;

/** Chart of births and living people, and charts by sex if both sexes have at least MIN_SHARE. */
export function AgeFigures({ answer, distribution }: KnownProps): VNode | null {
  const data = chartData(distribution, answer.on);
  if (!hasCurve(answer)) return null;
  const description = descriptionOf(distribution, answer.donors === null ? 'living' : 'donors');
  const shared = { data, ages: distribution, title: headline(answer), description };
  return (
    <>
      <figure>
        <WideAndNarrow wide={WIDE} narrow={NARROW} draw={(id, size) => <AgeChart {...shared} id={id} size={size} />} />
        <figcaption>
          Births per year (line) and people expected to be living on {longDate(answer.on)}
          {answer.minAge > 0 && `, age ${answer.minAge} or older`} (area).
          {answer.donors !== null && ' The median and the quartiles are those of donors.'}
        </figcaption>
        <BirthsData data={data} answer={answer} />
      </figure>
      {hasBothSexes(distribution) && <Sexes answer={answer} distribution={distribution} />}
    </>
  );
}

/** `Living, age 18 or older`. */
export const livingLabel = ({ minAge }: Pick<AgeAnswer, 'minAge'>): string =>
  minAge > 0 ? `Living, age ${minAge} or older` : 'Living';

/** The numbers of the chart by year of birth, for the chart script. */
function BirthsData({
  data: { points, date },
  answer,
}: Pick<KnownProps, 'answer'> & { readonly data: ChartData }): VNode {
  const [first, last] = [points[0], points[points.length - 1]].map(({ at }) => Math.floor(at));
  const series = (id: string, name: string, of: (point: ChartPoint) => number) => ({
    ...{ id, name },
    values: points.map((point) => Math.round(of(point))),
  });
  return (
    <DataBlock
      data={{
        ...{
          kind: 'births',
          file: fileName('births-and-living', [answer.name], [answer.date]),
          people: 'people',
          first,
          last,
          domain: [first, date],
        },
        series: [
          series('born', 'Born', ({ born }) => born),
          series('living', livingLabel(answer), (point) => point.living),
        ],
      }}
    />
  );
}

export function hasBothSexes({ livingM, livingF }: AgeDistribution): boolean {
  const living = livingM + livingF;
  return living > 0 && Math.min(livingM, livingF) / living >= MIN_SHARE;
}

const SEXES: readonly (readonly [Gender, string])[] = [
  ['f', 'Female'],
  ['m', 'Male'],
];

/** Charts of both sexes at the same scale, because a name may be old for one sex and new for the other. */
function Sexes({ answer, distribution }: KnownProps): VNode {
  const most = Math.max(...distribution.cohorts.map(({ bornM, bornF }) => Math.max(bornM, bornF)));
  return (
    <section>
      <h2>By sex, at the same scale</h2>
      <div class="pair">
        {SEXES.map(([sex, label]) => (
          <Sex answer={answer} distribution={distribution} sex={sex} label={label} most={most} />
        ))}
      </div>
    </section>
  );
}

interface SexProps extends KnownProps {
  readonly sex: Gender;
  readonly label: string;
  readonly most: number;
}

function Sex({ answer, distribution, sex, label, most }: SexProps): VNode | null {
  if (answer.sexes === null) return null;
  const ages = answer.sexes[sex];
  const { livingM, livingF } = distribution;
  const living = sex === 'm' ? livingM : livingF;
  const finding = `${label}: ${count(living)} living (${sexShare(living / (livingM + livingF))})`;
  return (
    <figure>
      <figcaption>
        <strong>{label}</strong>
        {finding.slice(label.length)}
        {ages.median !== null && `, median age ${ages.median}`}
      </figcaption>
      <AgeChart
        id={sex}
        size={NARROW}
        data={chartData(distribution, answer.on, sex, ages)}
        ages={ages}
        most={most}
        title={finding}
        description={descriptionOf(ages)}
      />
    </figure>
  );
}
