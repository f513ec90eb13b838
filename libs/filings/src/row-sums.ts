import { parseCents } from '@donorlens/campaign-finance';
import { type FiledItem, type SummaryLines } from './filing';
import { type Reconciliation } from './reconciliation';

const ITEMIZED_LINES = { F3P: new Set(['SA17A']), F3X: new Set(['SA11AI', 'SA11A1']) };

/** Adds up a filing's rows as they are read. */
export class RowSums {
  private readonly itemized = { rows: 0, cents: 0 };
  private readonly refunds = { rows: 0, cents: 0 };
  private memoRows = 0;
  private unreadAmounts = 0;

  constructor(private readonly form: 'F3P' | 'F3X') {}

  /** @param item null for a line that ends before its amount */
  add(item: FiledItem | null): void {
    const cents = item === null ? NaN : parseCents(item.amount);
    if (item === null || Number.isNaN(cents)) {
      this.unreadAmounts++;
      return;
    }
    if (item.memoCode === 'X') {
      this.memoRows++;
      return;
    }
    const sum = this.sumOf(item.line);
    if (sum === null) return;
    sum.rows++;
    sum.cents += cents;
  }

  against(summary: SummaryLines): Reconciliation {
    const { itemized, refunds } = this;
    const unitemized = this.unitemized(summary);
    return {
      itemizedRows: itemized.rows,
      itemizedCents: itemized.cents,
      itemizedSummaryCents: summary.itemizedCents,
      itemizedDifferenceCents: difference(summary.itemizedCents, itemized.cents),
      unitemizedCents: unitemized,
      unitemizedShare: shareOf(unitemized, summary.itemizedCents ?? itemized.cents),
      refundRows: refunds.rows,
      refundCents: refunds.cents,
      refundSummaryCents: summary.refundsCents,
      refundDifferenceCents: difference(summary.refundsCents, refunds.cents),
      memoRows: this.memoRows,
      unreadAmounts: this.unreadAmounts,
    };
  }

  private sumOf(line: string): { rows: number; cents: number } | null {
    if (ITEMIZED_LINES[this.form].has(line)) return this.itemized;
    return line === 'SB28A' ? this.refunds : null;
  }

  private unitemized({ itemizedCents, unitemizedCents, individualsCents }: SummaryLines): number | null {
    if (unitemizedCents !== null) return unitemizedCents;
    return individualsCents === null ? null : individualsCents - (itemizedCents ?? this.itemized.cents);
  }
}

const difference = (stated: number | null, rows: number): number | null => (stated === null ? null : stated - rows);

const shareOf = (unitemized: number | null, itemized: number): number | null =>
  unitemized === null || unitemized + itemized <= 0 ? null : unitemized / (unitemized + itemized);
