import { area, line } from 'd3-shape';
import { type VNode } from 'preact';
import { type Frame, tenth } from './chart-frame';
import { type ChartData, type ChartPoint } from './chart-geometry';

interface CurvesProps {
  readonly data: ChartData;
  readonly frame: Frame;
}

/** Half the width of the word at the area, and its height. */
const WORD = { half: 22, height: 18 } as const;

/** The living as an area, everybody born as a line above it: the gap is the deaths. */
export function Curves({ data: { points }, frame: { x, y } }: CurvesProps): VNode {
  const at = (point: ChartPoint): number => tenth(x(point.at));
  const living = area<ChartPoint>(at, tenth(y(0)), (point) => tenth(y(point.living)));
  const born = line<ChartPoint>(at, (point) => tenth(y(point.born)));
  return (
    <g>
      <path class="living" d={living([...points]) ?? undefined} />
      <path class="born" d={born([...points]) ?? undefined} />
    </g>
  );
}

/** Words at the curves instead of a legend. */
export function CurveNames({ data, frame }: CurvesProps): VNode | null {
  if (data.points.length === 0) return null;
  const born = bornPlace(data, frame);
  const living = livingPlace(data, frame);
  return (
    <g>
      <text class="name" x={tenth(born.x)} y={tenth(born.y)} text-anchor={born.anchor}>
        born
      </text>
      {living && (
        <text class="name name-living" x={tenth(living.x)} y={tenth(living.y)} text-anchor="middle">
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

interface Place {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end';
}

/** Beside the line: at its peak or half way up a flank, the first of them where the word meets no rule. */
function bornPlace({ points, ...data }: ChartData, frame: Frame): Place {
  const { x, y, left, right } = frame;
  const peak = largest(points, ({ born }) => born);
  const upper = points.filter(({ born }) => born >= peak.born / 2);
  const beside = (point: ChartPoint, anchor: Place['anchor'], gap: number): Place => ({
    x: x(point.at) + (anchor === 'end' ? -gap : gap),
    y: y(point.born) + 3,
    anchor,
  });
  const places = [
    beside(peak, 'end', 14),
    beside(peak, 'start', 14),
    beside(upper[0], 'end', 10),
    beside(upper[upper.length - 1], 'start', 10),
  ];
  const rules = rulesOf({ points, ...data }, frame);
  const isFree = (place: Place): boolean => {
    const [from, to] = place.anchor === 'end' ? [place.x - 32, place.x] : [place.x, place.x + 32];
    return from > left && to < right && rules.every((rule) => rule < from - 3 || rule > to + 3);
  };
  return places.find(isFree) ?? places[0];
}

/** The tallest place in the area, if it can be where the word crosses no rule; none where the area is too flat. */
function livingPlace(data: ChartData, frame: Frame): { readonly x: number; readonly y: number } | undefined {
  const { x, y, left, right } = frame;
  const rules = rulesOf(data, frame);
  const heights = data.points.map(({ living }) => y(0) - y(living));
  const reach = Math.floor(WORD.half / (x(1) - x(0))); // the points are a year apart
  const places = data.points
    .map(({ at }, point) => ({
      place: x(at),
      height: Math.min(...heights.slice(Math.max(0, point - reach), point + reach + 1)),
    }))
    .filter(({ place, height }) => height >= WORD.height && place - left > WORD.half && right - place > WORD.half);
  const free = places.filter(({ place }) => rules.every((rule) => Math.abs(rule - place) > WORD.half));
  const best = (free.length > 0 ? free : places).sort((a, b) => b.height - a.height).at(0);
  return best && { x: best.place, y: y(0) - Math.min(best.height / 2, 70) + 4 };
}
