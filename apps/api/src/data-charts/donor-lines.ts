import { setImmediate } from 'node:timers/promises';
import { type TableRow } from './table-text';

/** Cumulative donors of a candidate in a cycle. */
export interface DonorLine {
  readonly cycle: number;
  readonly id: string;
  /** by day, the first of the cycle first; never empty, never falls */
  readonly donors: readonly number[];
  /** day of the last number, `yyyy-mm-dd` */
  readonly until: string;
}

/** The part of an answer that is drawn. */
export interface Drawn<T> {
  /** most donors first */
  readonly parts: readonly T[];
  /** parts of the whole answer */
  readonly of: number;
}

/** As many lines as a reader can tell apart. */
export const MOST_LINES = 8;
/** Rows read between two looks at other requests: some milliseconds. */
const ROWS_AT_ONCE = 4096;

export const lastOf = ({ donors }: Pick<DonorLine, 'donors'>): number => donors[donors.length - 1];

/**
 * Lines of the candidates with the most donors, from the rows of the file itself.
 * @param rows CYCLE, CAND_ID, REF_DATE, CUMUL_DONORS by cycle and candidate, day after day
 */
export async function donorLines(rows: Iterable<TableRow>): Promise<Drawn<DonorLine>> {
  const parts: DonorLine[] = [];
  let of = 0;
  let read = 0;
  let donors: number[] = [];
  let [cycle, id, until]: TableRow = [0, '', ''];
  const close = (): void => {
    if (donors.length === 0) return;
    of++;
    keepLargest(parts, { cycle: Number(cycle), id: String(id), donors, until: String(until) }, MOST_LINES, lastOf);
  };
  for (const row of rows) {
    if (row[0] !== cycle || row[1] !== id) {
      close();
      [cycle, id] = row;
      donors = [];
    }
    until = row[2];
    donors.push(Number(row[3]));
    if (++read % ROWS_AT_ONCE === 0) await setImmediate();
  }
  close();
  return { parts, of };
}

/** Puts one among the largest, in their order; of equal ones the first stays first. */
export function keepLargest<T>(largest: T[], one: T, most: number, sizeOf: (one: T) => number): void {
  const place = largest.findIndex((other) => sizeOf(other) < sizeOf(one));
  largest.splice(place < 0 ? largest.length : place, 0, one);
  if (largest.length > most) largest.pop();
}
