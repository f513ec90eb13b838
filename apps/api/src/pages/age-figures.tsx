import { type AgeDistribution, type Gender, type Quartiles } from '@donorlens/demographics';
import { type VNode } from 'preact';
import { type AgeAnswer } from '../lookups/age-answer';
import { AgeChart } from './age-chart';
import { NARROW, WIDE } from './chart-frame';
import { chartData } from './chart-geometry';
import { headline } from './headline';
import { WideAndNarrow } from './picture';
import { count, longDate, sexShare } from './words';

export interface KnownProps {
  readonly answer: AgeAnswer;
  readonly distribution: AgeDistribution;
}

/** Fewer years of birth make no curve; the table has them. */
const FEWEST_POINTS = 2;

/** Of the living; a sex with less is a remark, not a picture. */
const LEAST_SHARE = 0.1;

const middleOf = ({ median, q25, q75 }: Quartiles): string =>
  median === null ? '' : ` Half of the living are from ${q25} to ${q75} years old, the median is ${median}.`;

const whatIsSeen = (ages: Quartiles): string =>
  `By year of birth: how many were given the name, as a line, and how many of them still live, as an area.${middleOf(ages)}`;

/** The name's births and living, and the same for each sex where both matter. */
export function AgeFigures({ answer, distribution }: KnownProps): VNode | null {
  const data = chartData(distribution, answer.on);
  if (data.points.length < FEWEST_POINTS) return null;
  const shared = { data, ages: distribution, title: headline(answer), description: whatIsSeen(distribution) };
  return (
    <>
      <figure>
        <WideAndNarrow wide={WIDE} narrow={NARROW} draw={(id, size) => <AgeChart {...shared} id={id} size={size} />} />
        <figcaption>
          Children given the name each year (line) and those of them expected to be living on {longDate(answer.on)}
          {answer.minAge > 0 && `, aged ${answer.minAge} or more`} (area).
        </figcaption>
      </figure>
      {bothMatter(distribution) && <Sexes answer={answer} distribution={distribution} />}
    </>
  );
}

export function bothMatter({ livingM, livingF }: AgeDistribution): boolean {
  const living = livingM + livingF;
  return living > 0 && Math.min(livingM, livingF) / living >= LEAST_SHARE;
}

const SEXES: readonly (readonly [Gender, string])[] = [
  ['f', 'Female'],
  ['m', 'Male'],
];

/** Side by side at one scale: a name may be old for one sex and new for the other. */
function Sexes({ answer, distribution }: KnownProps): VNode {
  const most = Math.max(...distribution.cohorts.map(({ bornM, bornF }) => Math.max(bornM, bornF)));
  return (
    <section>
      <h2>Female and male, at the same scale</h2>
      <div class="pair">
        {SEXES.map(([sex, called]) => (
          <Sex answer={answer} distribution={distribution} sex={sex} called={called} most={most} />
        ))}
      </div>
    </section>
  );
}

interface SexProps extends KnownProps {
  readonly sex: Gender;
  readonly called: string;
  readonly most: number;
}

function Sex({ answer, distribution, sex, called, most }: SexProps): VNode | null {
  if (answer.sexes === null) return null;
  const ages = answer.sexes[sex];
  const { livingM, livingF } = distribution;
  const living = sex === 'm' ? livingM : livingF;
  const finding = `${called}: ${count(living)} living (${sexShare(living / (livingM + livingF))})`;
  return (
    <figure>
      <figcaption>
        <strong>{called}</strong>
        {finding.slice(called.length)}
        {ages.median !== null && `, median age ${ages.median}`}
      </figcaption>
      <AgeChart
        id={sex}
        size={NARROW}
        data={chartData(distribution, answer.on, sex, ages)}
        ages={ages}
        most={most}
        title={finding}
        description={whatIsSeen(ages)}
      />
    </figure>
  );
}
