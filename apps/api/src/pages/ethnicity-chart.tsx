import { scaleLinear } from 'd3-scale';
import { type VNode } from 'preact';
import {
  type CensusAnswer,
  comparable,
  type EthnicityAnswer,
  type GroupShare,
  shareOf,
} from '../lookups/ethnicity-answer';
import { tenth } from './chart-frame';
import { groupLabel, inPercent } from './ethnicity-words';
import { Picture, type PictureProps } from './picture';

export interface BarsSize {
  readonly width: number;
  /** where names of groups stand beside the bars; 0: there is no room, they stand above them */
  readonly names: number;
}
export const WIDE_BARS: BarsSize = { width: 760, names: 224 };
export const NARROW_BARS: BarsSize = { width: 360, names: 0 };

const BAR = 18;
const SECOND_BAR = 11;
const GAP = 14;
const NAME_LINE = 18;
/** For the figures behind the longest bar, and about the width of a character of them. */
const FIGURES = 96;
const CHARACTER = 6.4;

interface ChartProps extends PictureProps {
  readonly answer: EthnicityAnswer;
  readonly asked: CensusAnswer;
  readonly size: BarsSize;
}

/** The six groups as bars, the largest first; a thinner bar of the other census below each where it has the surname, too. */
export function EthnicityChart({ answer, asked, size, ...picture }: ChartProps): VNode {
  const before = comparable(answer);
  const groups = [...asked.shares].sort((a, b) => b.percent - a.percent);
  const rowHeight = (size.names > 0 ? 0 : NAME_LINE) + BAR + (before ? SECOND_BAR + 2 : 0) + GAP;
  const height = groups.length * rowHeight;
  return (
    <Picture {...picture} class="chart bars" size={{ width: size.width, height }}>
      {groups.map((share, row) => (
        <Group
          share={share}
          before={before && (shareOf(before, share.group) ?? null)}
          years={row === 0 && before ? [asked.census, before.census] : null}
          top={row * rowHeight}
          size={size}
        />
      ))}
      <line class="base" x1={size.names} x2={size.names} y1={0} y2={height - GAP / 2} />
    </Picture>
  );
}

interface GroupProps {
  readonly share: GroupShare;
  readonly before: GroupShare | null;
  /** The first group says which bar is which census. */
  readonly years: readonly [number, number] | null;
  readonly top: number;
  readonly size: BarsSize;
}

function Group({ share, before, years, top, size }: GroupProps): VNode {
  const beside = size.names > 0;
  const at = top + (beside ? 0 : NAME_LINE);
  return (
    <g>
      <text
        class="group"
        x={beside ? size.names - 8 : 4}
        y={beside ? at + BAR - 5 : at - 5}
        text-anchor={beside ? 'end' : 'start'}
      >
        {groupLabel(share.group)}
      </text>
      <Bar share={share} year={years?.[0]} at={at} height={BAR} size={size} />
      {before && <Bar share={before} year={years?.[1]} at={at + BAR + 2} height={SECOND_BAR} size={size} isSecond />}
    </g>
  );
}

interface BarProps {
  readonly share: GroupShare;
  readonly year: number | undefined;
  readonly at: number;
  readonly height: number;
  readonly size: BarsSize;
  readonly isSecond?: boolean;
}

function Bar({ share, year, at, height, size, isSecond = false }: BarProps): VNode {
  const x = scaleLinear([0, 100], [size.names, size.width - FIGURES]);
  const end = x(Math.min(100, share.percent));
  const words = share.isSuppressed
    ? `withheld, about ${inPercent(share.percent)}`
    : `${inPercent(share.percent)}${year === undefined ? '' : ` in ${year}`}`;
  const fits = end + 7 + words.length * CHARACTER < size.width;
  const kind = share.isSuppressed ? 'withheld' : isSecond ? 'second' : 'first';
  return (
    <g class={kind}>
      <rect x={size.names} y={at} width={tenth(end - size.names)} height={height} />
      <text
        class={isSecond ? undefined : 'value'}
        x={fits ? tenth(end + 7) : size.width}
        y={at + height / 2 + 4}
        text-anchor={fits ? 'start' : 'end'}
      >
        {words}
      </text>
    </g>
  );
}
