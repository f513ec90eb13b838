import { parseCents } from '@donorlens/campaign-finance';
import { type FiledItem, type SummaryLines } from './filing';

/** A sum of rows beside the line of the form that states it, in cents. */
export interface Reconciled {
  readonly rows: number;
  readonly rowsCents: number;
  /** null where the form has no such line. */
  readonly statedCents: number | null;
  /** Stated less rows: 0 where they agree to the cent. */
  readonly differenceCents: number | null;
}

/** What the rows of a filing add up to, beside what its form states. Memo rows are in no sum. */
export interface Reconciliation {
  readonly itemized: Reconciled;
  /** Refunds of 200 dollars or less in all need no row, so that a difference here is usual. */
  readonly refunds: Reconciled;
  /** Individuals' gifts that have no row; where the form has no line for them, what the rows leave of all gifts. */
  readonly unitemizedCents: number | null;
  /** 0 to 1 of all individuals' money. */
  readonly unitemizedShare: number | null;
  readonly memoRows: number;
  /** Rows whose amount cannot be read; they are in no sum. */
  readonly unreadAmounts: number;
}

const ITEMIZED_LINES = { F3P: new Set(['SA17A']), F3X: new Set(['SA11AI', 'SA11A1']) };

/** Adds up a filing's rows as they are read. */
export class RowSums {
  private readonly itemized = { rows: 0, rowsCents: 0 };
  private readonly refunds = { rows: 0, rowsCents: 0 };
  private memoRows = 0;
  private unreadAmounts = 0;

  constructor(private readonly form: 'F3P' | 'F3X') {}

  add(item: FiledItem | null): void {
    const cents = item === null ? NaN : parseCents(item.amount);
    if (item === null || Number.isNaN(cents)) {
      this.unreadAmounts++;
      return;
    }
    const sum = ITEMIZED_LINES[this.form].has(item.line) ? this.itemized : item.line === 'SB28A' ? this.refunds : null;
    if (item.memoCode === 'X') this.memoRows++;
    else if (sum !== null) {
      sum.rows++;
      sum.rowsCents += cents;
    }
  }

  against(summary: SummaryLines): Reconciliation {
    const { itemizedCents, unitemizedCents, individualsCents, refundsCents } = summary;
    const unitemized =
      unitemizedCents ??
      (individualsCents === null ? null : individualsCents - (itemizedCents ?? this.itemized.rowsCents));
    return {
      itemized: reconciled(this.itemized, itemizedCents),
      refunds: reconciled(this.refunds, refundsCents),
      unitemizedCents: unitemized,
      unitemizedShare: shareOf(unitemized, itemizedCents ?? this.itemized.rowsCents),
      memoRows: this.memoRows,
      unreadAmounts: this.unreadAmounts,
    };
  }
}

const reconciled = (sum: { readonly rows: number; readonly rowsCents: number }, stated: number | null): Reconciled => ({
  ...sum,
  statedCents: stated,
  differenceCents: stated === null ? null : stated - sum.rowsCents,
});

const shareOf = (unitemized: number | null, itemized: number): number | null =>
  unitemized === null || unitemized + itemized <= 0 ? null : unitemized / (unitemized + itemized);
