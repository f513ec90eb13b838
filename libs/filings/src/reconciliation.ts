/** A sum of rows beside the line of the form that states it, in cents. */
export interface Reconciled {
  readonly rows: number;
  readonly rowsCents: number;
  /** null where the version has no such line. */
  readonly statedCents: number | null;
  /** Stated less rows. */
  readonly differenceCents: number | null;
}

/** What the rows of a filing add up to, beside what its form states. Memo rows are in no sum. */
export interface Reconciliation {
  readonly itemized: Reconciled;
  readonly refunds: Reconciled;
  /** Individuals' gifts that have no row. */
  readonly unitemizedCents: number | null;
  /** 0 to 1 of all individuals' money. */
  readonly unitemizedShare: number | null;
  readonly memoRows: number;
  /** Rows whose amount cannot be read; they are in no sum. */
  readonly unreadAmounts: number;
}
