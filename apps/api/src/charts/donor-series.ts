import { setImmediate } from 'node:timers/promises';
import { type AgeRow, type CumulativeDonorsRow } from '@donorlens/charts';

/** Cumulative donors of a candidate in a cycle. */
export interface DonorLine {
  readonly cycle: number;
  readonly id: string;
  /** by day from the first of the cycle; never empty, never decreasing */
  readonly donors: readonly number[];
  /** day of the last number, `yyyy-mm-dd` */
  readonly until: string;
}

/** Donors of a committee in a cycle by age. */
export interface DonorAges {
  readonly cycle: number;
  readonly id: string;
  /** by age in completed years, 0 first */
  readonly donors: readonly number[];
  /** donors with an age */
  readonly known: number;
  /** donors without an age */
  readonly unknown: number;
  /** quartiles of the age, and the 95 % interval of the median if available; null if no donor has an age */
  readonly middle: {
    readonly q25: number;
    readonly median: number;
    readonly q75: number;
    readonly interval?: AgeRow['medianInterval'];
  } | null;
}

/** The largest parts of a table, which a chart shows. */
export interface Drawn<T> {
  /** most donors first */
  readonly parts: readonly T[];
  /** number of parts in the whole table */
  readonly of: number;
}

/** More lines cannot be distinguished. */
export const MAX_LINES = 8;
/** More histograms do not fit one screen. */
export const MAX_HISTOGRAMS = 9;
/** Rows read between two yields to the event loop, which takes some milliseconds. */
const ROWS_PER_YIELD = 4096;

/** Shares and medians of fewer donors differ by chance, so charts do not compare them and use a separate scale. */
export const SMALL_GROUP = 100;

export const lastOf = ({ donors }: Pick<DonorLine, 'donors'>): number => donors[donors.length - 1];

export const allOf = ({ known, unknown }: DonorAges): number => known + unknown;

/**
 * Lines of the candidates with the most donors.
 * @param rows - by cycle and candidate, day after day
 */
export async function donorLines(rows: Iterable<CumulativeDonorsRow>): Promise<Drawn<DonorLine>> {
  const parts: DonorLine[] = [];
  let of = 0;
  let read = 0;
  let line: { cycle: number; id: string; donors: number[]; until: string } | undefined;
  const close = (): void => {
    if (line === undefined) return;
    of++;
    insertLargest(parts, line, MAX_LINES, lastOf);
  };
  for (const { cycle, candidateId, date, donors } of rows) {
    if (line?.cycle !== cycle || line.id !== candidateId) {
      close();
      line = { cycle, id: candidateId, donors: [], until: date };
    }
    line.until = date;
    line.donors.push(donors);
    if (++read % ROWS_PER_YIELD === 0) await setImmediate();
  }
  close();
  return { parts, of };
}

/**
 * Ages of the donors of the committees with the most donors.
 * @param rows - by cycle and committee
 */
export function donorAges(rows: Iterable<AgeRow>): Drawn<DonorAges> {
  const parts: DonorAges[] = [];
  let of = 0;
  let group: AgeRow[] = [];
  const close = (): void => {
    if (group.length === 0) return;
    of++;
    insertLargest(parts, agesOf(group), MAX_HISTOGRAMS, allOf);
  };
  for (const row of rows) {
    if (group.length > 0 && (row.cycle !== group[0].cycle || row.committeeId !== group[0].committeeId)) {
      close();
      group = [];
    }
    group.push(row);
  }
  close();
  return { parts, of };
}

function agesOf(rows: readonly AgeRow[]): DonorAges {
  const donors: number[] = [];
  let unknown = 0;
  for (const row of rows)
    if (row.ageYears === null) unknown += row.donors;
    else donors[row.ageYears] = row.donors;
  for (let age = 0; age < donors.length; age++) donors[age] ??= 0;
  const known = Math.round(donors.reduce((sum, count) => sum + count, 0)); // expected numbers add up to a whole number
  const at = (share: number): number => quantile(donors, known * share);
  const interval = rows[0].medianInterval;
  const middle = known === 0 ? null : { q25: at(0.25), median: at(0.5), q75: at(0.75), ...(interval && { interval }) };
  return { cycle: rows[0].cycle, id: rows[0].committeeId, donors, known, unknown, middle };
}

/**
 * The 95 % interval of the median: the estimated one, else by the order statistics of a sample of `known` donors, whose
 * ranks are normally distributed with a standard deviation of half of the square root of `known`.
 */
export function medianInterval({ donors, known, middle }: DonorAges): { low: number; high: number } {
  const margin = 0.98 * Math.sqrt(known);
  return middle?.interval ?? { low: quantile(donors, known / 2 - margin), high: quantile(donors, known / 2 + margin) };
}

/** The lowest age up to which there are at least `many` donors. */
function quantile(donors: readonly number[], many: number): number {
  let sum = 0;
  return donors.findIndex((count) => count > 0 && (sum += count) >= many);
}

/** Inserts an item into a descending list of the `max` largest; ties keep their order. */
export function insertLargest<T>(largest: T[], one: T, max: number, sizeOf: (one: T) => number): void {
  const at = largest.findIndex((other) => sizeOf(other) < sizeOf(one));
  largest.splice(at < 0 ? largest.length : at, 0, one);
  if (largest.length > max) largest.pop();
}
