/** What enrichment finds out about a row: all that another release of the reference data can change. */
export const ENRICHED_COLUMNS = {
  age: 'smallint',
  age_adult: 'smallint',
  gender: 'text',
  race: 'text',
  pct_white: 'smallint',
  pct_black: 'smallint',
  pct_api: 'smallint',
  pct_aian: 'smallint',
  pct_2prace: 'smallint',
  pct_hispanic: 'smallint',
} as const;

/** What follows from the record as filed. */
export const FILED_COLUMNS = {
  committee_id: 'text',
  donor_key: 'bigint',
  donor_key_v2: 'bigint',
  received_on: 'date',
  money_cents: 'bigint',
  counts_money: 'boolean',
  counts_donor: 'boolean',
  count_reason: 'smallint',
  earmark: 'smallint',
  state: 'text',
  file_num: 'bigint',
  tran_id: 'text',
  file_cycle: 'smallint',
  record: 'text',
} as const;

const STAGING = {
  /** Place in its chunk: of rows with one identity the last is stored. */
  row_no: 'int',
  /** Why the record cannot be stored; it has no identity then, and `record` is all of it. */
  reject_code: 'text',
  cycle: 'smallint',
  row_id: 'bigint',
  ...FILED_COLUMNS,
  ...ENRICHED_COLUMNS,
  /** Of a row of a filing whose address can be located. */
  address_key: 'bytea',
} as const;

/**
 * Columns of the lines that ContributionStore takes, in order. What no record says (hh_income_median) and what follows
 * from other rows (is_copy) is not among them, and an import leaves it as it is.
 */
export const STAGING_COLUMNS = Object.keys(STAGING) as readonly (keyof typeof STAGING)[];

/** Columns and types, as a table has them. */
export const STAGING_TABLE = Object.entries(STAGING)
  .map((column) => column.join(' '))
  .join(', ');
