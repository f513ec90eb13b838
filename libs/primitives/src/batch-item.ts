/** Types of bulk requests. `contributions` adds all attributes: age, gender, ethnicity, county and income. */
export const BATCH_TYPES = ['age_gender', 'ethnicity', 'contributions'] as const;
export type BatchType = (typeof BATCH_TYPES)[number];

/** Outcome of one item, exactly one per row. Stored as its index. */
export const OUTCOMES = ['ok', 'partial', 'not_found', 'invalid', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Items of a chunk or a batch counted by outcome. */
export type OutcomeCounts = Record<Outcome, number>;

export const emptyCounts = (): OutcomeCounts => ({ ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 });

export const countedRows = (counts: OutcomeCounts): number =>
  counts.ok + counts.partial + counts.not_found + counts.invalid + counts.failed;

/**
 * Why an item has no answer: its code as stored, and what a client reads beside it. The text does not name the item: it
 * is a row of a file, a record of a stream or a query of a request.
 */
export const ITEM_ERRORS = {
  bad_date: 'invalid date (yyyy-mm-dd, mmddyyyy, m/d/yyyy or a timestamp)',
  bad_fips: 'the county code is not five digits, nor four that lack a leading zero',
  bad_id: 'the id is not a text of at most 64 characters',
  bad_json: 'not a JSON object',
  bad_type: 'a field has the wrong type',
  bad_year: 'the year is not a whole number from 1000 to 9999',
  missing_date: 'the date is missing',
  missing_name: 'the name is missing',
  missing_year: 'the year is missing',
  nul_byte: 'contains a NUL byte (shown as U+2400)',
  ragged_row: 'the number of fields differs from that of the header',
  too_long: 'a name is longer than 200 characters',
  internal: 'processing failed',
  poison: 'processing crashed the worker more than once',
} as const;
export type ItemErrorCode = keyof typeof ITEM_ERRORS;
