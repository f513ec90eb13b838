import { CONTRIBUTION_COLUMNS, ITCONT_COLUMNS } from '@donorlens/primitives';

/** Columns of the contributions file, in order. */
export const CONTRIBUTION_FILE_COLUMNS = [
  'CYCLE',
  'CAND_ID',
  ...ITCONT_COLUMNS,
  ...CONTRIBUTION_COLUMNS,
  'COUNTS_MONEY',
  'COUNTS_DONOR',
  'COUNT_REASON',
  'DATA_RELEASE',
] as const;
