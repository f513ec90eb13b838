import { scaleLinear } from 'd3-scale';
import { type DonorAges } from '../data-charts/donor-ages';
import { type ChartSize, type Frame, tenth } from './chart-frame';

/** Names tell an age only roughly: single years would show the popularity of names. */
export const GROUP_YEARS = 5;
/** Ages that are on the axis always, so that charts of different questions look alike. */
const USUAL = { from: 20, to: 90 } as const;

export const WIDE_WIDTH = 760;
export const NARROW_WIDTH = 360;
const MARGIN = { left: 40, right: 12, between: 22 } as const;
const HEAD = 58;
const FOOT = 26;

/** Donors by group of five years, the first from 0 on. */
export function groupsOf({ donors }: DonorAges): number[] {
  const groups = Array<number>(Math.ceil(donors.length / GROUP_YEARS)).fill(0);
  donors.forEach((people, age) => (groups[Math.floor(age / GROUP_YEARS)] += people));
  return groups;
}

export interface Panels {
  readonly size: ChartSize;
  /** one for each histogram, all with the same scales but for their place */
  readonly frames: readonly Frame[];
  /** frames at the left edge */
  readonly columns: number;
}

/** Small multiples: the same axes for all, shares instead of numbers, so that shapes can be compared. */
export function panelsOf(parts: readonly DonorAges[], width: number): Panels {
  const columns = width < 500 ? 1 : parts.length === 4 ? 2 : Math.min(3, parts.length);
  const height = parts.length === 1 ? 230 : 110;
  const inner = (width - MARGIN.left - MARGIN.right - (columns - 1) * MARGIN.between) / columns;
  const ends = parts.map(({ donors }) => donors.length);
  const begins = parts.map(({ donors }) => donors.findIndex((people) => people > 0)).filter((age) => age >= 0);
  const from = Math.floor(Math.min(USUAL.from, ...begins) / GROUP_YEARS) * GROUP_YEARS;
  const to = Math.ceil(Math.max(USUAL.to, ...ends) / GROUP_YEARS) * GROUP_YEARS;
  const most = Math.max(0.1, ...parts.flatMap((one) => groupsOf(one).map((people) => people / (one.known || 1))));
  const frames = parts.map((_, at): Frame => {
    const left = tenth(MARGIN.left + (at % columns) * (inner + MARGIN.between));
    const top = Math.floor(at / columns) * (HEAD + height + FOOT) + HEAD;
    const [right, bottom] = [tenth(left + inner), top + height];
    const y = scaleLinear([0, most], [bottom, top]).nice(4);
    return { x: scaleLinear([from, to], [left, right]), y, left, right, top, bottom };
  });
  const rows = Math.ceil(parts.length / columns);
  return { size: { width, height: rows * (HEAD + height + FOOT) }, frames, columns };
}
