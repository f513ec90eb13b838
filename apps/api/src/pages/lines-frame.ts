import { firstDayOfCycle, lastDayOfCycle } from '@donorlens/primitives';
import { scaleLinear } from 'd3-scale';
import { type DonorLine, lastOf } from '../data-charts/donor-lines';
import { type ChartSize, type Frame } from './chart-frame';

export const WIDE_LINES: ChartSize = { width: 760, height: 400 };
export const NARROW_LINES: ChartSize = { width: 360, height: 380 };
export const SMALL_LINES: ChartSize = { width: 760, height: 250 };

/** Beside the plot: room for the names at the ends of the lines. */
const LABELS = { wide: 196, narrow: 132 } as const;
const MARGIN = { top: 26, bottom: 44, left: 44 } as const;

export const daysOf = (cycle: number): number => lastDayOfCycle(cycle) - firstDayOfCycle(cycle) + 1;

/** x: days since the first of the cycle; y: donors. */
export function linesFrame(lines: readonly DonorLine[], { width, height }: ChartSize): Frame {
  const [left, right] = [MARGIN.left, width - (width > 500 ? LABELS.wide : LABELS.narrow)];
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom];
  const days = Math.max(...lines.map(({ cycle }) => daysOf(cycle)));
  return {
    x: scaleLinear([0, days - 1], [left, right]),
    y: scaleLinear([0, Math.max(4, ...lines.map(lastOf))], [bottom, top]).nice(4),
    left,
    right,
    top,
    bottom,
  };
}

/** Day of the cycle on which its president is elected, the Tuesday after the first Monday of November; null in other cycles. */
export function electionDay(cycle: number): number | null {
  if (cycle % 4 !== 0) return null;
  const second = new Date(Date.UTC(cycle, 10, 2)).getUTCDay(); // the earliest day that it can be
  const november = daysOf(cycle) - 61; // days of the cycle before it
  return november + 1 + ((2 - second + 7) % 7);
}
