import { type VNode } from 'preact';
import { scaleLinear } from 'd3-scale';
import { allOf, type DonorAges, SMALL_GROUP } from '../../../charts/donor-series';
import { count } from '../../layout/labels';
import { type ChartSize, type Frame, Picture, type PictureProps, tenth } from '../../layout/picture';
import { fitting } from '../chart-labels';

interface AgesChartProps extends PictureProps {
  readonly parts: readonly DonorAges[];
  /** a name for each part */
  readonly names: readonly string[];
  /** text with the number of people of each histogram; by default the donors of the cycle */
  readonly sizes?: readonly string[];
  readonly width: number;
}

/** A histogram for each committee and cycle, on shared axes; small groups have a separate scale of shares. */
export function AgesChart({ parts, names, sizes, width, ...picture }: AgesChartProps): VNode {
  const { size, frames } = panelsOf(parts, width);
  const scaleOf = (part: DonorAges): string => {
    if (!isSmall(part)) return '';
    return parts.length === 1 ? ', a small group' : `, own scale`;
  };
  return (
    <Picture {...picture} size={size} frames={frames}>
      {parts.map((part, at) => (
        <g data-series={at}>
          <Heading
            part={part}
            name={names[at]}
            size={`${sizes?.[at] ?? donorsOf(part)}${scaleOf(part)}`}
            frame={frames[at]}
          />
          <Axes frame={frames[at]} />
          <path class="histogram" d={barsOf(part, frames[at]) || undefined} />
          <Median part={part} frame={frames[at]} />
        </g>
      ))}
    </Picture>
  );
}

/** Approximate width of a capital letter of a name. */
const CHARACTER = 10.2;

interface PanelProps {
  readonly part: DonorAges;
  readonly frame: Frame;
}

function donorsOf(part: DonorAges): string {
  const all = allOf(part);
  return `${count(all)} ${all === 1 ? 'donor' : 'donors'} in ${part.cycle}`;
}

interface HeadingProps extends PanelProps {
  readonly name: string;
  readonly size: string;
}

function Heading({ part, name, size, frame: { left, right, top } }: HeadingProps): VNode {
  return (
    <g>
      <text class="name" x={left} y={top - 43}>
        {fitting(name, (right - left + 10) / CHARACTER)}
      </text>
      <text x={left} y={top - 28}>
        {size}
      </text>
      {part.unknown > 0 && (
        <text x={left} y={top - 14}>
          {count(part.unknown)} without an age
        </text>
      )}
    </g>
  );
}

/** Bars with a gap between them, as one path. */
function barsOf(part: DonorAges, { x, y, bottom }: Frame): string {
  return groupsOf(part)
    .map((people, at) => {
      if (people === 0) return '';
      const [from, to] = [x(at * GROUP_YEARS) + 0.5, x((at + 1) * GROUP_YEARS) - 0.5];
      return `M${tenth(from)},${bottom}V${tenth(y(people / part.known))}H${tenth(to)}V${bottom}z`;
    })
    .join('');
}

/** A centered number this near to the right edge could overlap the first number of the next histogram. */
const NEAR_EDGE = 5;

const Axes = ({ frame: { x, y, left, right, bottom } }: Pick<PanelProps, 'frame'>): VNode => (
  <g class="axis">
    {y.ticks(3).map((tick) => (
      <g>
        <line class={tick === 0 ? 'base' : 'grid'} x1={left} x2={right} y1={tenth(y(tick))} y2={tenth(y(tick))} />
        <text x={left - 6} y={tenth(y(tick)) + 4} text-anchor="end">
          {y.tickFormat(3, '~%')(tick)}
        </text>
      </g>
    ))}
    {x
      .ticks(5)
      .filter((tick) => tick % 20 === 0)
      .map((tick, at) => (
        <text x={tenth(x(tick))} y={bottom + 18} text-anchor={x(tick) > right - NEAR_EDGE ? 'end' : 'middle'}>
          {at === 0 ? `age ${tick}` : tick}
        </text>
      ))}
  </g>
);

function Median({ part: { middle }, frame: { x, left, right, top, bottom } }: PanelProps): VNode {
  if (middle === null)
    return (
      <text x={tenth((left + right) / 2)} y={tenth((top + bottom) / 2)} text-anchor="middle">
        no estimated ages
      </text>
    );
  const at = tenth(x(middle.median + 0.5)); // the middle of the completed year
  const isLate = at > (left + right) / 2;
  return (
    <g class="median">
      <line x1={at} x2={at} y1={top - 4} y2={bottom} />
      <text x={tenth(isLate ? at - 5 : at + 5)} y={top + 5} text-anchor={isLate ? 'end' : 'start'}>
        median {middle.median}
      </text>
    </g>
  );
}

/** First names give only rough ages, so single years would show the popularity of names. */
export const GROUP_YEARS = 5;
/** Ages that are always on the axis, so that different charts look alike. */
const USUAL = { from: 20, to: 90 } as const;

export const WIDE_WIDTH = 760;
export const NARROW_WIDTH = 360;
const MARGIN = { left: 40, right: 12, between: 44 } as const;
const HEAD = 58;
/** Height above the bars for the label of the median. */
const MEDIAN_LABEL = 12;
const FOOT = 26;

/** Donors by group of five years, starting at age 0. */
export function groupsOf({ donors }: DonorAges): number[] {
  const groups = Array<number>(Math.ceil(donors.length / GROUP_YEARS)).fill(0);
  donors.forEach((people, age) => (groups[Math.floor(age / GROUP_YEARS)] += people));
  return groups;
}

export interface Panels {
  readonly size: ChartSize;
  /** one for each histogram; scales are shared, except that small groups have their own y scale */
  readonly frames: readonly Frame[];
}

/** One age group may have most donors of a small group, which would flatten the other histograms on a shared scale. */
const isSmall = ({ known }: DonorAges): boolean => known < SMALL_GROUP;

/** The largest share of an age group. */
const largestShare = (part: DonorAges): number =>
  Math.max(0.1, ...groupsOf(part).map((people) => people / (part.known || 1)));

/** Small multiples: shares instead of numbers on the same axes, so that shapes can be compared; see `isSmall`. */
export function panelsOf(parts: readonly DonorAges[], width: number): Panels {
  const columns = width < 500 ? 1 : parts.length === 4 ? 2 : Math.min(3, parts.length);
  const height = parts.length === 1 ? 230 : 110;
  const inner = (width - MARGIN.left - MARGIN.right - (columns - 1) * MARGIN.between) / columns;
  const ends = parts.map(({ donors }) => donors.length);
  const begins = parts.map(({ donors }) => donors.findIndex((people) => people > 0)).filter((age) => age >= 0);
  const from = Math.floor(Math.min(USUAL.from, ...begins) / GROUP_YEARS) * GROUP_YEARS;
  const to = Math.ceil(Math.max(USUAL.to, ...ends) / GROUP_YEARS) * GROUP_YEARS;
  const most = Math.max(0.1, ...parts.filter((part) => !isSmall(part)).map(largestShare));
  const frames = parts.map((part, at): Frame => {
    const left = tenth(MARGIN.left + (at % columns) * (inner + MARGIN.between));
    const top = Math.floor(at / columns) * (HEAD + height + FOOT) + HEAD;
    const [right, bottom] = [tenth(left + inner), top + height];
    const y = scaleLinear([0, isSmall(part) ? largestShare(part) : most], [bottom, top + MEDIAN_LABEL]).nice(4);
    return { x: scaleLinear([from, to], [left, right]), y, left, right, top, bottom };
  });
  const rows = Math.ceil(parts.length / columns);
  return { size: { width, height: rows * (HEAD + height + FOOT) }, frames };
}
