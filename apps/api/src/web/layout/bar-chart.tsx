import { scaleLinear } from 'd3-scale';
import { type VNode } from 'preact';
import { Picture, type PictureProps, tenth, WideAndNarrow } from './picture';

/** A bar, and the figure next to it. */
export interface BarValue {
  readonly label: string;
  /** 0 to 1 */
  readonly share: number;
  readonly figure: string;
}

/** Text alternative: each bar and its figure. */
export const describeBars = (bars: readonly BarValue[]): string =>
  `${bars.map(({ label, figure }) => `${label} ${figure}`).join(', ')}.`;

export interface BarsSize {
  readonly width: number;
  /** width of the labels left of the bars; 0: the labels are above the bars */
  readonly names: number;
}
export const WIDE_BARS: BarsSize = { width: 760, names: 224 };
export const NARROW_BARS: BarsSize = { width: 360, names: 0 };

const BAR = 18;
const GAP = 8;
/** Line of a label above its bar. */
const LABEL_LINE = 18;
/** Width of the figures right of the longest bar. */
const FIGURES = 130;

interface BarsProps extends PictureProps {
  readonly bars: readonly BarValue[];
  readonly size: BarsSize;
  /** share of the longest possible bar; by default of the longest bar of the chart */
  readonly most?: number;
}

/** Horizontal bars on an axis from zero to the largest share. */
export function Bars({ bars, size: { width, names }, most, ...picture }: BarsProps): VNode {
  const rowHeight = (names > 0 ? 0 : LABEL_LINE) + BAR + GAP;
  const x = scaleLinear([0, (most ?? Math.max(...bars.map(({ share }) => share))) || 1], [names, width - FIGURES]);
  return (
    <Picture {...picture} class="chart bars" size={{ width, height: bars.length * rowHeight }}>
      {bars.map(({ label, share, figure }, row) => {
        const top = row * rowHeight + (names > 0 ? 0 : LABEL_LINE);
        const end = tenth(x(share));
        return (
          <g class="first">
            <text
              class="group"
              x={names > 0 ? names - 8 : 4}
              y={names > 0 ? top + BAR - 5 : top - 5}
              text-anchor={names > 0 ? 'end' : 'start'}
            >
              {label}
            </text>
            <rect x={names} y={top} width={tenth(end - names)} height={BAR} />
            <text class="value" x={end + 7} y={top + BAR - 5}>
              {figure}
            </text>
          </g>
        );
      })}
    </Picture>
  );
}

/** Bars of both sizes. */
export const BarChart = ({ id, ...bars }: Omit<BarsProps, 'size'>): VNode => (
  <WideAndNarrow
    wide={WIDE_BARS}
    narrow={NARROW_BARS}
    draw={(name, size) => <Bars {...bars} id={`${id}-${name}`} size={size} />}
  />
);
