import { parseCents } from '@donorlens/campaign-finance';
import { type FiledItem, type SummaryLines } from './filing';

/**
 * What the rows of a filing add up to, beside what its form states, in cents. Memo rows are in no sum. A difference is
 * stated less rows, 0 where they agree to the cent; null stands where the form has no such line.
 */
export interface Reconciliation {
  readonly itemizedRows: number;
  readonly itemizedCents: number;
  readonly itemizedSummaryCents: number | null;
  readonly itemizedDifferenceCents: number | null;
  /** Individuals' gifts that have no row; where the form has no line for them, what the rows leave of all gifts. */
  readonly unitemizedCents: number | null;
  /** 0 to 1 of all individuals' money. */
  readonly unitemizedShare: number | null;
  readonly refundRows: number;
  readonly refundCents: number;
  readonly refundSummaryCents: number | null;
  /** Refunds of 200 dollars or less in all need no row, so that a difference here is usual. */
  readonly refundDifferenceCents: number | null;
  readonly memoRows: number;
  /** Rows whose amount cannot be read; they are in no sum. */
  readonly unreadAmounts: number;
}

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
