import { type Drawn, keepLargest } from './donor-lines';
import { type TableRow } from './table-text';

/** Donors of a committee in a cycle by age. */
export interface DonorAges {
  readonly cycle: number;
  readonly id: string;
  /** by age in completed years, 0 first */
  readonly donors: readonly number[];
  /** donors with an age */
  readonly known: number;
  /** donors without one */
  readonly unknown: number;
  /** null where nobody has an age */
  readonly middle: { readonly q25: number; readonly median: number; readonly q75: number } | null;
}

/** As many histograms as fit one look. */
export const MOST_HISTOGRAMS = 9;

export const allOf = ({ known, unknown }: DonorAges): number => known + unknown;

/**
 * Ages at the committees with the most donors, from the rows of the file itself.
 * @param rows CYCLE, CMTE_ID, AGE ('' is unknown), DONORS, … by cycle and committee
 */
export function donorAges(rows: Iterable<TableRow>): Drawn<DonorAges> {
  const parts: DonorAges[] = [];
  let of = 0;
  let group: TableRow[] = [];
  const close = (): void => {
    if (group.length === 0) return;
    of++;
    keepLargest(parts, agesOf(group), MOST_HISTOGRAMS, allOf);
  };
  for (const row of rows) {
    if (group.length > 0 && (row[0] !== group[0][0] || row[1] !== group[0][1])) {
      close();
      group = [];
    }
    group.push(row);
  }
  close();
  return { parts, of };
}

function agesOf(rows: readonly TableRow[]): DonorAges {
  const withAge = rows.filter(([, , age]) => age !== '');
  const donors = Array<number>(Math.max(-1, ...withAge.map(([, , age]) => Number(age))) + 1).fill(0);
  for (const [, , age, count] of withAge) donors[Number(age)] = Number(count);
  const known = donors.reduce((sum, count) => sum + count, 0);
  const unknown = rows.filter(([, , age]) => age === '').reduce((sum, [, , , count]) => sum + Number(count), 0);
  const at = (share: number): number => reachedAt(donors, known * share);
  const middle = known === 0 ? null : { q25: at(0.25), median: at(0.5), q75: at(0.75) };
  return { cycle: Number(rows[0][0]), id: String(rows[0][1]), donors, known, unknown, middle };
}

/** The youngest age up to which there are so many donors. */
function reachedAt(donors: readonly number[], many: number): number {
  let sum = 0;
  return donors.findIndex((count) => count > 0 && (sum += count) >= many);
}
