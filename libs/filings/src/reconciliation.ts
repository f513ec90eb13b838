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
