/** Why a line cannot be read. */
export const REJECT_CODES = [
  'wrong_column_count',
  'control_character',
  'too_long',
  'bad_sub_id',
  'bad_amount',
  'bad_committee_id',
] as const;
export type RejectCode = (typeof REJECT_CODES)[number];
