import { type Quartiles } from '@donorlens/demographics';
import { type VNode } from 'preact';
import { AgeAxis, CountAxis, YearAxis } from './chart-axes';
import { CurveNames, Curves } from './chart-curves';
import { type ChartSize, frameOf } from './chart-frame';
import { type ChartData } from './chart-geometry';
import { Markers, QuartileBand } from './chart-markers';

interface ChartProps {
  readonly data: ChartData;
  readonly size: ChartSize;
  readonly title: string;
  readonly description: string;
  /** Makes ids of this chart unique on its page. */
  readonly id: string;
  readonly ages: Quartiles;
  /** Where the scale ends at least, for charts that are compared with each other. */
  readonly most?: number;
}

/** Born per year as a line over the living as an area, with median and quartiles marked: plain SVG, no script. */
export function AgeChart({ data, size, title, description, id, ages, most }: ChartProps): VNode {
  const frame = frameOf(data, size, most);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      class="chart"
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="img"
      aria-labelledby={`${id}-title ${id}-desc`}
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-desc`}>{description}</desc>
      <QuartileBand data={data} frame={frame} />
      <CountAxis frame={frame} />
      <Curves data={data} frame={frame} />
      <YearAxis frame={frame} />
      <AgeAxis data={data} frame={frame} />
      <Markers data={data} ages={ages} frame={frame} />
      <CurveNames data={data} frame={frame} />
    </svg>
  );
}
