/** What a bulk request asks for. `contributions` is everything: age, gender, ethnicity, county and income. */
export const BATCH_TYPES = ['age_gender', 'ethnicity', 'contributions'] as const;
export type BatchType = (typeof BATCH_TYPES)[number];

/** Outcome of one item, exactly one per row. Stored as its index. */
export const OUTCOMES = ['ok', 'partial', 'not_found', 'invalid', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Items of a chunk or a batch counted by outcome. */
export type Tally = Record<Outcome, number>;

export const emptyTally = (): Tally => ({ ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 });

export const tallied = (tally: Tally): number =>
  tally.ok + tally.partial + tally.not_found + tally.invalid + tally.failed;
