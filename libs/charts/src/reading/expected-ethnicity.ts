import { PCT_COLUMNS } from '@donorlens/demographics';
import { expectedHundredths } from './age-estimate';
import { type BreakdownRow } from './chart-rows';

interface Sum {
  readonly cycle: number;
  readonly candidateId: string;
  /** donors with shares (`known`) and without (`unknown`) */
  known: number;
  unknown: number;
  /** sums by group of the donors' shares; the shares of one donor add up to 1 */
  readonly shares: number[];
}

/** Sums the donors' probabilities to expected numbers by candidate and ethnicity. */
export class EthnicitySums {
  private readonly sums = new Map<string, Sum>();

  /** @param shares - of one donor in the order of PCT_COLUMNS, in any unit; null: unknown */
  add(cycle: number, candidateId: string, shares: ArrayLike<number> | null): void {
    const key = `${cycle} ${candidateId}`;
    let sum = this.sums.get(key);
    if (sum === undefined)
      this.sums.set(key, (sum = { cycle, candidateId, known: 0, unknown: 0, shares: PCT_COLUMNS.map(() => 0) }));
    let total = 0;
    for (let group = 0; shares !== null && group < shares.length; group++) total += shares[group];
    if (shares === null || total === 0) {
      sum.unknown++;
      return;
    }
    sum.known++;
    for (let group = 0; group < shares.length; group++) sum.shares[group] += shares[group] / total;
  }

  /** Expected donors with two decimals, which add up to all donors of the candidate. Rows have no money. */
  rows(): BreakdownRow[] {
    return [...this.sums.values()].flatMap(({ cycle, candidateId, known, unknown, shares }) => {
      const hundredths = known === 0 ? [] : expectedHundredths(known, shares);
      const groups = [...hundredths.entries()]
        .map(([at, n]): [string | null, number] => [PCT_COLUMNS[at], n / 100])
        .sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1));
      return [...groups, [null, unknown] as const]
        .filter(([, donors]) => donors > 0)
        .map(([value, donors]) => ({
          ...{ cycle, candidateId, by: 'ethnicity' as const, value },
          ...{ donors, contributions: null, amountCents: null },
        }));
    });
  }
}
