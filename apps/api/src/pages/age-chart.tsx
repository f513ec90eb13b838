import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type VNode } from 'preact';
import { ageTicks, type ChartData, type ChartPoint } from './chart-geometry';

/** Two sizes, because text in a picture shrinks with it: the page shows the one that fits the screen. */
export const WIDE = { width: 760, height: 400 } as const;
export const NARROW = { width: 360, height: 340 } as const;

const MARGIN = { top: 76, right: 14, bottom: 42, left: 46 } as const;
/** Baselines above the plot: ages, then the markers' labels in two rows. */
const AGE_ROW = 12;
const QUARTILE_ROW = 46;
const MEDIAN_ROW = 64;

interface ChartProps {
  readonly data: ChartData;
  readonly size: { readonly width: number; readonly height: number };
  readonly title: string;
  readonly description: string;
  /** Makes ids of this chart unique on its page. */
  readonly id: string;
  readonly ages: { readonly median: number | null; readonly q25: number | null; readonly q75: number | null };
}

interface Frame {
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const tenth = (value: number): number => Math.round(value * 10) / 10;

function frameOf({ points, date }: ChartData, { width, height }: ChartProps['size']): Frame {
  const [left, right, top, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
  const from = points.length > 0 ? Math.floor(points[0].at) : Math.floor(date) - 1;
  const to = points.length > 0 ? Math.max(date, points[points.length - 1].at) : date;
  const most = Math.max(1, ...points.map(({ born }) => born));
  return {
    x: scaleLinear([from, to], [left, right]),
    y: scaleLinear([0, most], [bottom, top]).nice(4),
    left,
    right,
    top,
    bottom,
  };
}

/** Born per year as a line over the living as an area: the gap is the deaths. Median and quartiles stand as rules. */
export function AgeChart({ data, size, title, description, id, ages }: ChartProps): VNode {
  const frame = frameOf(data, size);
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
      <Curves points={data.points} frame={frame} />
      <YearAxis frame={frame} />
      <AgeAxis data={data} frame={frame} />
      <Marker
        at={data.q75}
        label={`${ages.q75}: a quarter are older`}
        short={`¼ over ${ages.q75}`}
        side="end"
        frame={frame}
      />
      <Marker
        at={data.q25}
        label={`${ages.q25}: a quarter are younger`}
        short={`¼ under ${ages.q25}`}
        side="start"
        frame={frame}
      />
      <MedianMarker at={data.median} age={ages.median} frame={frame} />
    </svg>
  );
}

function Curves({ points, frame: { x, y } }: { readonly points: readonly ChartPoint[]; readonly frame: Frame }): VNode {
  const at = (point: ChartPoint): number => tenth(x(point.at));
  const living = area<ChartPoint>(at, tenth(y(0)), (point) => tenth(y(point.living)));
  const born = line<ChartPoint>(at, (point) => tenth(y(point.born)));
  const peak = points.reduce((best, point) => (point.born > best.born ? point : best), points[0]);
  return (
    <g>
      <path class="living" d={living([...points]) ?? ''} />
      <path class="born" d={born([...points]) ?? ''} />
      {points.length > 0 && <CurveLabels points={points} peak={peak} x={x} y={y} />}
    </g>
  );
}

/** Words at the curves instead of a legend: born beside its peak, living inside the tallest part of the area. */
function CurveLabels({
  points,
  peak,
  x,
  y,
}: Pick<Frame, 'x' | 'y'> & { readonly points: readonly ChartPoint[]; readonly peak: ChartPoint }): VNode {
  const [left, right] = x.range();
  const tallest = points.reduce((best, point) => (point.living > best.living ? point : best), points[0]);
  const leftward = x(peak.at) - left > right - x(peak.at);
  const room = y(0) - y(tallest.living);
  const livingAt = Math.min(Math.max(x(tallest.at), left + 26), right - 26);
  return (
    <g>
      <text
        class="name"
        x={tenth(x(peak.at)) + (leftward ? -10 : 10)}
        y={tenth(y(peak.born)) + 14}
        text-anchor={leftward ? 'end' : 'start'}
      >
        born
      </text>
      <text
        class="name name-living"
        x={tenth(livingAt)}
        y={tenth(y(0) - (room > 40 ? room / 3 : -0)) - (room > 40 ? 0 : 6)}
        text-anchor="middle"
      >
        living
      </text>
    </g>
  );
}

function CountAxis({ frame: { y, left, right } }: { readonly frame: Frame }): VNode {
  const format = y.tickFormat(4, '~s');
  return (
    <g class="axis">
      {y
        .ticks(4)
        .filter((tick) => Number.isInteger(tick))
        .map((tick) => (
          <g>
            <line class={tick === 0 ? 'base' : 'grid'} x1={left} x2={right} y1={tenth(y(tick))} y2={tenth(y(tick))} />
            <text x={left - 7} y={tenth(y(tick)) + 4} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
    </g>
  );
}

function YearAxis({ frame: { x, left, right, bottom } }: { readonly frame: Frame }): VNode {
  const ticks = x.ticks(right - left > 500 ? 9 : 5).filter((tick) => Number.isInteger(tick));
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

function AgeAxis({ data, frame: { x, left, right, top } }: { readonly data: ChartData; readonly frame: Frame }): VNode {
  const [from, to] = x.domain();
  return (
    <g class="axis">
      <text class="axis-title" x={left - 7} y={AGE_ROW} text-anchor="end">
        age
      </text>
      {ageTicks(data, from, to, right - left > 500 ? 12 : 7).map((age) => (
        <g>
          <line
            class="grid age"
            x1={tenth(x(data.date - age))}
            x2={tenth(x(data.date - age))}
            y1={AGE_ROW + 6}
            y2={AGE_ROW + 11}
          />
          <text x={tenth(x(data.date - age))} y={AGE_ROW} text-anchor="middle">
            {age}
          </text>
        </g>
      ))}
      <line class="grid" x1={left} x2={right} y1={AGE_ROW + 11} y2={AGE_ROW + 11} data-top={top} />
    </g>
  );
}

function QuartileBand({
  data: { q25, q75 },
  frame: { x, top, bottom },
}: {
  readonly data: ChartData;
  readonly frame: Frame;
}): VNode | null {
  if (q25 === null || q75 === null) return null;
  const width = Math.max(1, x(q25) - x(q75));
  return <rect class="band" x={tenth(x(q75))} y={top} width={tenth(width)} height={bottom - top} />;
}

interface MarkerProps {
  readonly at: number | null;
  readonly label: string;
  readonly short: string;
  /** which way the words run from the rule */
  readonly side: 'start' | 'end';
  readonly frame: Frame;
}

/** About the width of a character of a label. */
const CHARACTER = 6.2;

function Marker({ at, label, short, side, frame: { x, left, right, bottom } }: MarkerProps): VNode | null {
  if (at === null) return null;
  const place = tenth(x(at));
  const room = side === 'end' ? place - left : right - place;
  const words = room > label.length * CHARACTER ? label : short;
  const fits = room > words.length * CHARACTER;
  const anchor = fits ? side : side === 'end' ? 'start' : 'end';
  return (
    <g class="quartile">
      <line x1={place} x2={place} y1={QUARTILE_ROW + 5} y2={bottom} />
      <text x={place + (anchor === 'end' ? 3 : -3)} y={QUARTILE_ROW} text-anchor={anchor}>
        {words}
      </text>
    </g>
  );
}

function MedianMarker({
  at,
  age,
  frame: { x, left, right, bottom },
}: {
  readonly at: number | null;
  readonly age: number | null;
  readonly frame: Frame;
}): VNode | null {
  if (at === null) return null;
  const place = tenth(x(at));
  const words = `median ${age}`;
  const half = (words.length * 7.5) / 2;
  const middle = Math.min(Math.max(place, left + half), right - half);
  return (
    <g class="median">
      <line x1={place} x2={place} y1={MEDIAN_ROW + 6} y2={bottom} />
      <text x={tenth(middle)} y={MEDIAN_ROW} text-anchor="middle">
        {words}
      </text>
    </g>
  );
}
