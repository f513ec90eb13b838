import { type VNode } from 'preact';
import { allOf, type DonorAges } from '../data-charts/donor-ages';
import { GROUP_YEARS, groupsOf, panelsOf } from './ages-frame';
import { type Frame, tenth } from './chart-frame';
import { fitting } from './drawn-names';
import { Picture, type PictureProps } from './picture';
import { count } from './words';

interface AgesChartProps extends PictureProps {
  readonly parts: readonly DonorAges[];
  /** a name for each part */
  readonly names: readonly string[];
  readonly width: number;
}

/** A histogram for each committee and cycle, on shared axes. */
export function AgesChart({ parts, names, width, ...picture }: AgesChartProps): VNode {
  const { size, frames, columns } = panelsOf(parts, width);
  return (
    <Picture {...picture} size={size}>
      {parts.map((part, at) => (
        <g>
          <Heading part={part} name={names[at]} frame={frames[at]} />
          <Axes frame={frames[at]} hasNumbers={at % columns === 0} />
          <path class="histogram" d={barsOf(part, frames[at]) || undefined} />
          <Median part={part} frame={frames[at]} />
        </g>
      ))}
    </Picture>
  );
}

/** About the width of a capital of a name: masters are in capitals. */
const CHARACTER = 10.2;

interface PanelProps {
  readonly part: DonorAges;
  readonly frame: Frame;
}

function Heading({ part, name, frame: { left, right, top } }: PanelProps & { readonly name: string }): VNode {
  const all = allOf(part);
  return (
    <g>
      <text class="name" x={left} y={top - 43}>
        {fitting(name, (right - left + 10) / CHARACTER)}
      </text>
      <text x={left} y={top - 28}>
        {count(all)} {all === 1 ? 'donor' : 'donors'} in {part.cycle}
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

/** Where half of a number would stand in the next picture, whose own first one may reach out towards it. */
const NEAR_EDGE = 5;

const Axes = ({
  frame: { x, y, left, right, bottom },
  hasNumbers,
}: Pick<PanelProps, 'frame'> & { readonly hasNumbers: boolean }): VNode => (
  <g class="axis">
    {y.ticks(3).map((tick) => (
      <g>
        <line class={tick === 0 ? 'base' : 'grid'} x1={left} x2={right} y1={tenth(y(tick))} y2={tenth(y(tick))} />
        {hasNumbers && (
          <text x={left - 6} y={tenth(y(tick)) + 4} text-anchor="end">
            {y.tickFormat(3, '~%')(tick)}
          </text>
        )}
      </g>
    ))}
    {x
      .ticks(5)
      .filter((tick) => tick % 20 === 0)
      .map((tick, at) => (
        <text x={tenth(x(tick))} y={bottom + 15} text-anchor={x(tick) > right - NEAR_EDGE ? 'end' : 'middle'}>
          {at === 0 ? `age ${tick}` : tick}
        </text>
      ))}
  </g>
);

function Median({ part: { middle }, frame: { x, left, right, top, bottom } }: PanelProps): VNode {
  if (middle === null)
    return (
      <text x={tenth((left + right) / 2)} y={tenth((top + bottom) / 2)} text-anchor="middle">
        no donor with an age
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
