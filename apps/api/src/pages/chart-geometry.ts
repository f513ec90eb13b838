import { type AgeDistribution, type CohortCount, type Gender, type Quartiles } from '@donorlens/demographics';
import { type CivilDay, dayOfYear, daysInYear, yearOf } from '@donorlens/primitives';

/** A year of birth on the chart: everybody born in it, and those of them who still live. */
export interface ChartPoint {
  /** middle of the year */
  readonly at: number;
  readonly born: number;
  readonly living: number;
}

export interface ChartData {
  readonly points: readonly ChartPoint[];
  /** the reference date as years, 2017.5 for the middle of 2017 */
  readonly date: number;
  /** moments of birth of those who have the median age and the quartiles; null where nobody lives */
  readonly median: number | null;
  readonly q25: number | null;
  readonly q75: number | null;
}

/** A chart of fewer years looks like a bar. */
const FEWEST_YEARS = 20;

/** Whom a chart counts. */
export type Counted = Gender | 'both';

const PEOPLE: Record<Counted, (cohort: CohortCount) => { readonly born: number; readonly living: number }> = {
  m: ({ bornM, livingM }) => ({ born: bornM, living: livingM }),
  f: ({ bornF, livingF }) => ({ born: bornF, living: livingF }),
  both: ({ bornM, bornF, livingM, livingF }) => ({ born: bornM + bornF, living: livingM + livingF }),
};

/**
 * What the chart shows, from the first birth of the name to the reference date. Charts of one name have the same years,
 * whomever they count.
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
  const from = Math.min(first, yearOf(on) - FEWEST_YEARS);
  const last = yearOf(on + 1) - 1; // the year of the date is on the chart only when it is over: half a year looks like a fall
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

/** Round ages for the second axis, from the first birth year on, at most so many. */
export function ageTicks(data: ChartData, from: number, most: number): number[] {
  const oldest = Math.floor(data.date - from);
  const step = [5, 10, 20, 25, 50].find((one) => oldest / one <= most) ?? 50;
  return Array.from({ length: Math.floor(oldest / step) + 1 }, (_, at) => at * step);
}
