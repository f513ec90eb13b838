import { type Quartiles } from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { type AgeAnswer } from '../../lookups/age-gender-results';
import {
  type ChartSize,
  CountAxis,
  type Frame,
  Picture,
  type PictureProps,
  standalone,
  tenth,
  WIDE,
} from '../layout/picture';
import { AGE_ROW, ageTicks, type ChartData, chartData, frameOf } from './age-geometry';
import { headline } from './age-headline';
import { longDate } from '../layout/labels';
import { CurveNames, Curves, Markers, QuartileBand } from './age-marks';

interface ChartProps extends PictureProps {
  readonly data: ChartData;
  readonly size: ChartSize;
  readonly ages: Quartiles;
  /** Minimum upper end of the scale, for charts that are compared with each other. */
  readonly most?: number;
}

/** Births per year as a line over the living as an area, with median and quartiles. */
export function AgeChart({ data, size, ages, most, ...picture }: ChartProps): VNode {
  const frame = frameOf(data, size, most);
  return (
    <Picture {...picture} size={size} frames={[frame]}>
      <QuartileBand data={data} frame={frame} />
      <CountAxis frame={frame} />
      <Curves data={data} frame={frame} />
      <YearAxis frame={frame} />
      <AgeAxis data={data} frame={frame} />
      <Markers data={data} ages={ages} frame={frame} />
      <CurveNames data={data} frame={frame} />
    </Picture>
  );
}

const isWide = ({ left, right }: Frame): boolean => right - left > 500;

/** Years of birth, below the plot. */
export function YearAxis({ frame }: { readonly frame: Frame }): VNode {
  const { x, left, right, bottom } = frame;
  const ticks = x.ticks(isWide(frame) ? 9 : 5).filter((tick) => Number.isInteger(tick));
  return (
    <g class="axis">
      {ticks.map((tick) => (
        <g>
          <line class="tick" x1={tenth(x(tick))} x2={tenth(x(tick))} y1={bottom} y2={bottom + 5} />
          <text x={tenth(x(tick))} y={bottom + 18} text-anchor="middle">
            {tick}
          </text>
        </g>
      ))}
      <text class="axis-title" x={(left + right) / 2} y={bottom + 36} text-anchor="middle">
        year of birth
      </text>
    </g>
  );
}

/** The same axis as ages on the date, above the plot. */
export function AgeAxis({ data, frame }: { readonly data: ChartData; readonly frame: Frame }): VNode {
  const { x, left, right } = frame;
  const line = AGE_ROW + 11;
  const placeOf = (age: number): number => tenth(x(data.date - age));
  const ages = ageTicks(data, x.domain()[0], isWide(frame) ? 12 : 7).filter((age) => placeOf(age) > left + 12);
  return (
    <g class="axis">
      <text class="axis-title" x={left - 7} y={AGE_ROW} text-anchor="end">
        age
      </text>
      {ages.map((age) => (
        <g>
          <line class="grid" x1={placeOf(age)} x2={placeOf(age)} y1={line - 5} y2={line} />
          <text x={placeOf(age)} y={AGE_ROW} text-anchor="middle">
            {age}
          </text>
        </g>
      ))}
      <line class="grid" x1={left} x2={right} y1={line} y2={line} />
    </g>
  );
}

const EMPTY = { gender: null, median: null, q25: null, q75: null, cohorts: [] } as const;

/** The chart as an SVG file; for an unknown name an empty one whose title says so. */
export function standaloneChart(answer: AgeAnswer, release: Release): string {
  const distribution = answer.distribution ?? {
    ...EMPTY,
    genderProbability: null,
    livingM: 0,
    livingF: 0,
    bornM: 0,
    bornF: 0,
  };
  return standalone(
    <AgeChart
      id="age"
      size={WIDE}
      data={chartData(distribution, answer.on)}
      ages={distribution}
      title={headline(answer)}
      description={`Births per year as a line, living people as an area. Data release ${release.id}.`}
    />,
    {
      title: headline(answer),
      source: `${release.label === 'sample' ? 'Synthetic sample' : 'Source: Social Security Administration'}; donorlens, data release ${release.id}. Ages on ${longDate(answer.on)}.`,
    },
  );
}
