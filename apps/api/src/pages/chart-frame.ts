import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { type ChartData } from './chart-geometry';

/** Two sizes, because text in a picture shrinks with it: the page shows the one that fits the screen. */
export type ChartSize = { readonly width: number; readonly height: number };
export const WIDE: ChartSize = { width: 760, height: 400 };
export const NARROW: ChartSize = { width: 360, height: 340 };

const MARGIN = { top: 76, right: 14, bottom: 42, left: 46 } as const;

/** Baselines above the plot: ages, then two rows for the words at the median and at the quartiles. */
export const AGE_ROW = 12;
export const UPPER_ROW = 46;
export const LOWER_ROW = 64;

/** Where the plot is, in the units of the picture. */
export interface Frame {
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A tenth of a unit is finer than any screen, and halves the size of the picture. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;

export const isWide = ({ left, right }: Frame): boolean => right - left > 500;

/** @param atLeast  the upper end of the scale, for charts that are compared with each other */
export function frameOf({ points, date }: ChartData, { width, height }: ChartSize, atLeast = 4): Frame {
  const [left, right, top, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
  const from = points.length > 0 ? Math.floor(points[0].at) : Math.floor(date) - 1;
  const most = Math.max(atLeast, ...points.map(({ born }) => born));
  return {
    x: scaleLinear([from, date], [left, right]),
    y: scaleLinear([0, most], [bottom, top]).nice(4),
    left,
    right,
    top,
    bottom,
  };
}
