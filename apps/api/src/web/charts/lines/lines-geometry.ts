import { firstDayOfCycle, lastDayOfCycle } from '@donorlens/primitives';
import { scaleLinear } from 'd3-scale';
import { type DonorLine, lastOf } from '../../../charts/donor-series';
import { type ChartSize, type Frame } from '../../layout/picture';

export const WIDE_LINES: ChartSize = { width: 760, height: 400 };
export const NARROW_LINES: ChartSize = { width: 360, height: 380 };
export const SMALL_LINES: ChartSize = { width: 760, height: 250 };

/** Width right of the plot for the labels. */
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

/** Day of the cycle with the presidential election, Tuesday after the first Monday of November; null without one. */
export function electionDay(cycle: number): number | null {
  if (cycle % 4 !== 0) return null;
  const second = new Date(Date.UTC(cycle, 10, 2)).getUTCDay(); // weekday of November 2, the earliest possible day
  const november = daysOf(cycle) - 61; // days of the cycle before November
  return november + 1 + ((2 - second + 7) % 7);
}

/** Less than the width of any line, in SVG units. */
const TOLERANCE = 0.4;

/**
 * Simplifies a line: at every omitted day, the new line differs by at most 0.4 units. From each point, the range of
 * slopes within the tolerance of all following days narrows; if the slope to a day is outside it, the previous day
 * becomes a point.
 * @param heights - one per day
 * @returns days of the points, ascending, with the first and the last day
 */
export function simplifyLine(heights: readonly number[]): number[] {
  const points = [0];
  let [from, steepest, flattest] = [0, Infinity, -Infinity];
  for (let day = 1; day < heights.length;) {
    const slope = (heights[day] - heights[from]) / (day - from);
    if (slope > steepest || slope < flattest) {
      from = day - 1;
      points.push(from);
      [steepest, flattest] = [Infinity, -Infinity];
    } else {
      steepest = Math.min(steepest, slope + TOLERANCE / (day - from));
      flattest = Math.max(flattest, slope - TOLERANCE / (day - from));
      day++;
    }
  }
  if (heights.length > 1) points.push(heights.length - 1);
  return points;
}

interface Block {
  readonly sum: number;
  readonly size: number;
}

const meanOf = ({ sum, size }: Block): number => sum / size;

/**
 * Moves overlapping labels apart with the smallest total displacement (isotonic regression): labels that touch form
 * a block around the mean of their wanted positions.
 * @param wanted - positions, ascending
 * @param gap - minimum distance of two labels
 * @param min - minimum position of the first label
 * @param max - maximum position of the last label; all labels fit in between
 */
export function spreadLabels(wanted: readonly number[], gap: number, min: number, max: number): number[] {
  const blocks: Block[] = [];
  for (const [at, position] of wanted.entries()) {
    let block: Block = { sum: position - at * gap, size: 1 }; // after subtracting the gaps, only the order matters
    for (let last = blocks.at(-1); last && meanOf(last) > meanOf(block); last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, size: last.size + block.size };
      blocks.pop();
    }
    blocks.push(block);
  }
  const highest = max - (wanted.length - 1) * gap;
  return blocks
    .flatMap((block) => Array<number>(block.size).fill(Math.min(Math.max(meanOf(block), min), highest)))
    .map((position, at) => position + at * gap);
}
