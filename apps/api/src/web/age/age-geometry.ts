import { type AgeDistribution, type CohortCount, type Gender, type Quartiles } from '@donorlens/demographics';
import { scaleLinear } from 'd3-scale';
import { type CivilDay, dayOfYear, daysInYear, yearOf } from '@donorlens/primitives';
import { type ChartSize, type Frame } from '../layout/picture';

/** Births of one year, and how many of those people are living. */
export interface ChartPoint {
  /** middle of the year */
  readonly at: number;
  readonly born: number;
  readonly living: number;
}

export interface ChartData {
  readonly points: readonly ChartPoint[];
  /** the reference date in years: 2017.5 is the middle of 2017 */
  readonly date: number;
  /** years of birth of people at the median and the quartiles; null if none are living */
  readonly median: number | null;
  readonly q25: number | null;
  readonly q75: number | null;
}

/** With fewer years the curve looks like a bar. */
const MIN_YEARS = 20;

/** Sexes that a chart includes. */
export type Counted = Gender | 'both';

const PEOPLE: Record<Counted, (cohort: CohortCount) => { readonly born: number; readonly living: number }> = {
  m: ({ bornM, livingM }) => ({ born: bornM, living: livingM }),
  f: ({ bornF, livingF }) => ({ born: bornF, living: livingF }),
  both: ({ bornM, bornF, livingM, livingF }) => ({ born: bornM + bornF, living: livingM + livingF }),
};

/**
 * Data of the chart, from the first birth of the name to the reference date. All charts of a name have the same years,
 * whichever sexes they include.
 */
export function chartData(
  distribution: AgeDistribution,
  on: CivilDay,
  counted: Counted = 'both',
  ages: Quartiles = distribution,
): ChartData {
  const date = yearOf(on) + (dayOfYear(on) + 0.5) / daysInYear(yearOf(on));
  const { cohorts } = distribution;
  const first = cohorts.find(({ bornM, bornF }) => bornM + bornF > 0)?.year ?? yearOf(on);
  const from = Math.min(first, yearOf(on) - MIN_YEARS);
  const last = yearOf(on + 1) - 1; // only complete years: a part of a year would look like a decline
  const points = cohorts
    .filter(({ year }) => year >= from && year <= last)
    .map((cohort) => ({ at: cohort.year + 0.5, ...PEOPLE[counted](cohort) }));
  const bornAt = (age: number | null): number | null => (age === null ? null : date - age - 0.5);
  return {
    points,
    date,
    median: bornAt(ages.median),
    q25: bornAt(ages.q25),
    q75: bornAt(ages.q75),
  };
}

/** Round ages for the second axis, from the first birth year, with at most about `most` ticks. */
export function ageTicks(data: ChartData, from: number, most: number): number[] {
  const oldest = Math.floor(data.date - from);
  const step = [5, 10, 20, 25, 50].find((one) => oldest / one <= most) ?? 50;
  return Array.from({ length: Math.floor(oldest / step) + 1 }, (_, at) => at * step);
}

const MARGIN = { top: 76, right: 16, bottom: 42, left: 46 } as const;

/** Baselines above the plot: ages, then two rows for the labels of the median and the quartiles. */
export const AGE_ROW = 12;
export const UPPER_ROW = 46;
export const LOWER_ROW = 64;

/** @param atLeast - minimum upper end of the scale, for charts that are compared with each other */
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
