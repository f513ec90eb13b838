import { type Quartiles } from '@donorlens/demographics';
import { type VNode } from 'preact';
import { AgeAxis, CountAxis, YearAxis } from './chart-axes';
import { CurveNames, Curves } from './chart-curves';
import { type ChartSize, frameOf } from './chart-frame';
import { type ChartData } from './chart-geometry';
import { Markers, QuartileBand } from './chart-markers';
import { Picture, type PictureProps } from './picture';

interface ChartProps extends PictureProps {
  readonly data: ChartData;
  readonly size: ChartSize;
  readonly ages: Quartiles;
  /** Where the scale ends at least, for charts that are compared with each other. */
  readonly most?: number;
}

/** Born per year as a line over the living as an area, with median and quartiles marked: plain SVG, no script. */
export function AgeChart({ data, size, ages, most, ...picture }: ChartProps): VNode {
  const frame = frameOf(data, size, most);
  return (
    <Picture {...picture} size={size}>
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
