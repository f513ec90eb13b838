import { area, line } from 'd3-shape';
import { type VNode } from 'preact';
import { type Quartiles } from '@donorlens/demographics';
import { type Frame, tenth } from '../layout/picture';
import { type ChartData, type ChartPoint, LOWER_ROW, UPPER_ROW } from './age-geometry';

interface CurvesProps {
  readonly data: ChartData;
  readonly frame: Frame;
}

/** Half the width and the height of the label in the area. */
const AREA_LABEL = { half: 22, height: 18 } as const;

/** The living as an area and all births as a line above it; the gap is the deaths. */
export function Curves({ data: { points }, frame: { x, y } }: CurvesProps): VNode {
  const at = (point: ChartPoint): number => tenth(x(point.at));
  const living = area<ChartPoint>(at, tenth(y(0)), (point) => tenth(y(point.living)));
  const born = line<ChartPoint>(at, (point) => tenth(y(point.born)));
  return (
    <g>
      <path class="living" data-series="1" d={living([...points]) ?? undefined} />
      <path class="born" data-series="0" d={born([...points]) ?? undefined} />
    </g>
  );
}

/** Labels next to the curves instead of a legend. */
export function CurveNames({ data, frame }: CurvesProps): VNode | null {
  if (data.points.length === 0) return null;
  const born = bornPosition(data, frame);
  const living = livingPosition(data, frame);
  return (
    <g>
      <text class="name" data-series="0" x={tenth(born.x)} y={tenth(born.y)} text-anchor={born.anchor}>
        born
      </text>
      {living && (
        <text class="name name-living" data-series="1" x={tenth(living.x)} y={tenth(living.y)} text-anchor="middle">
          living
        </text>
      )}
    </g>
  );
}

const rulesOf = (data: ChartData, { x }: Frame): number[] =>
  [data.median, data.q25, data.q75].flatMap((rule) => (rule === null ? [] : [x(rule)]));

const largest = (points: readonly ChartPoint[], of: (point: ChartPoint) => number): ChartPoint =>
  points.reduce((best, point) => (of(point) > of(best) ? point : best), points[0]);

interface Position {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end';
}

/**
 * Label position next to the line, at its peak or halfway up a flank, or left of a rule: the first that no rule
 * crosses.
 */
function bornPosition({ points, ...data }: ChartData, frame: Frame): Position {
  const { x, y, left, right } = frame;
  const peak = largest(points, ({ born }) => born);
  const upper = points.filter(({ born }) => born >= peak.born / 2);
  const positionBeside = (point: ChartPoint, anchor: Position['anchor'], gap: number): Position => ({
    x: x(point.at) + (anchor === 'end' ? -gap : gap),
    y: y(point.born) + 3,
    anchor,
  });
  const rules = rulesOf({ points, ...data }, frame);
  const positions = [
    positionBeside(peak, 'end', 14),
    positionBeside(peak, 'start', 14),
    positionBeside(upper[0], 'end', 10),
    positionBeside(upper[upper.length - 1], 'start', 10),
    ...rules
      .map((rule): Position => ({ ...positionBeside(peak, 'end', 0), x: rule - BESIDE }))
      .sort((a, b) => b.x - a.x),
  ];
  const isFree = (position: Position): boolean => {
    const [from, to] = position.anchor === 'end' ? [position.x - 32, position.x] : [position.x, position.x + 32];
    return from > left && to < right && rules.every((rule) => rule < from - 3 || rule > to + 3);
  };
  return positions.find(isFree) ?? positions[0];
}

/** The highest label position in the area, if possible one that no rule crosses; undefined if the area is too flat. */
function livingPosition(data: ChartData, frame: Frame): { readonly x: number; readonly y: number } | undefined {
  const { x, y, left, right } = frame;
  const rules = rulesOf(data, frame);
  const heights = data.points.map(({ living }) => y(0) - y(living));
  const halfYears = AREA_LABEL.half / (x(1) - x(0)); // points have a distance of one year
  const [beside, fromEnd] = [Math.floor(halfYears), Math.ceil(halfYears)];
  const positions = data.points
    .map(({ at }, point) => ({
      position: x(at),
      height: Math.min(...heights.slice(point - beside, point + beside + 1)),
    }))
    .slice(fromEnd, Math.max(fromEnd, heights.length - fromEnd))
    .filter(
      ({ position, height }) =>
        height >= AREA_LABEL.height && position - left > AREA_LABEL.half && right - position > AREA_LABEL.half,
    );
  const free = positions.filter(({ position }) => rules.every((rule) => Math.abs(rule - position) > AREA_LABEL.half));
  const best = (free.length > 0 ? free : positions).sort((a, b) => b.height - a.height).at(0);
  return best && { x: best.position, y: y(0) - Math.min(best.height / 2, 70) + 4 };
}

interface MarkersProps {
  readonly data: ChartData;
  readonly ages: Quartiles;
  readonly frame: Frame;
}

/** Approximate width of a character of a label. */
const CHARACTER = 6.4;
const BOLD_CHARACTER = 8.5;
/** Distance between a rule and the label next to it. */
const BESIDE = 5;

export function QuartileBand({
  data: { q25, q75 },
  frame: { x, top, bottom },
}: Omit<MarkersProps, 'ages'>): VNode | null {
  if (q25 === null || q75 === null) return null;
  const from = tenth(x(q75));
  return <rect class="band" x={from} y={top} width={Math.max(1, tenth(x(q25) - from))} height={bottom - top} />;
}

/**
 * Labeled rules at the median and the quartiles. Each quartile has a label next to its rule if both fit; else one label
 * covers the interquartile range. No rule crosses a label: the median's label is above the other rules.
 */
export function Markers({ data, ages, frame }: MarkersProps): VNode | null {
  const { x } = frame;
  if (data.median === null || data.q25 === null || data.q75 === null) return null;
  const [oldest, middle, youngest] = [x(data.q75), x(data.median), x(data.q25)];
  const under = Math.max(1, ages.q25 ?? 0); // no age is under 0
  const labels = [
    [`a quarter over ${ages.q75}`, `a quarter under ${under}`],
    [`¼ over ${ages.q75}`, `¼ under ${under}`],
  ].find((pair) => youngest - oldest > 8 && fitsOutward(pair, oldest, youngest, frame));
  const quartilesFrom = LOWER_ROW + (labels ? -10 : 6); // next to their labels, else below the label of the median
  return (
    <g>
      <g class="quartile">
        <Rule at={oldest} from={quartilesFrom} frame={frame} />
        <Rule at={youngest} from={quartilesFrom} frame={frame} />
        {labels ? (
          <>
            <MarkerText at={oldest - BESIDE} row={LOWER_ROW} text={labels[0]} anchor="end" />
            <MarkerText at={youngest + BESIDE} row={LOWER_ROW} text={labels[1]} anchor="start" />
          </>
        ) : (
          <InterquartileLabel at={(oldest + youngest) / 2} text={`half are ${ages.q25} to ${ages.q75}`} frame={frame} />
        )}
      </g>
      <Median at={middle} row={labels ? UPPER_ROW : LOWER_ROW} text={`median ${ages.median}`} frame={frame} />
    </g>
  );
}

/** Whether the labels fit outside the rules; they may extend into the margins. */
const fitsOutward = ([over, under]: readonly string[], oldest: number, youngest: number, frame: Frame): boolean =>
  oldest - BESIDE - over.length * CHARACTER > 4 && youngest + BESIDE + under.length * CHARACTER < frame.right + 10;

interface CenteredLabelProps {
  readonly at: number;
  readonly text: string;
  readonly frame: Frame;
}

const Rule = ({ at, from, frame }: { readonly at: number; readonly from: number; readonly frame: Frame }): VNode => (
  <line x1={tenth(at)} x2={tenth(at)} y1={from} y2={frame.bottom} />
);

const MarkerText = ({
  at,
  row,
  text,
  anchor,
}: {
  readonly at: number;
  readonly row: number;
  readonly text: string;
  readonly anchor: 'start' | 'middle' | 'end';
}): VNode => (
  <text x={tenth(at)} y={row} text-anchor={anchor}>
    {text}
  </text>
);

/** Position of a centered label, limited to the plot. */
const clampToFrame = (at: number, half: number, { left, right }: Frame): number =>
  Math.min(Math.max(at, left + half), right - half);

const InterquartileLabel = ({ at, text, frame }: CenteredLabelProps): VNode => (
  <MarkerText at={clampToFrame(at, (text.length * CHARACTER) / 2, frame)} row={UPPER_ROW} text={text} anchor="middle" />
);

const Median = ({ at, row, text, frame }: CenteredLabelProps & { readonly row: number }): VNode => (
  <g class="median">
    <Rule at={at} from={row + 6} frame={frame} />
    <MarkerText
      at={clampToFrame(at, (text.length * BOLD_CHARACTER) / 2, frame)}
      row={row}
      text={text}
      anchor="middle"
    />
  </g>
);
