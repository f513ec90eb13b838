import { type AreaTable, type EthnicGeography } from '@donorlens/demographics';
import { type Fips, NAME_DETAIL_COLUMNS, type NameDetailColumn } from '@donorlens/primitives';

/** What ethnicity by surname and place needs beside the stored shares. */
export interface PlacedSurnames {
  readonly geography: EthnicGeography;
  /** True for a person with a surname that the file of the year does not list; the three are cells as filed. */
  readonly isUnlisted: (name: string, entityType: string, date: string) => boolean;
}

interface RequestedColumns {
  readonly detail: unknown;
  readonly placed?: PlacedSurnames | null;
  readonly tractIncomes?: AreaTable | null;
}

/** Columns of names that `detail` adds; the basis of ethnicity by place is a column of its own. */
export const nameColumns = ({ placed }: RequestedColumns): readonly NameDetailColumn[] =>
  NAME_DETAIL_COLUMNS.filter((column) => !placed || column !== 'ETHNICITY_BASIS');

/** Columns that follow those of the file on request. */
export const addedColumns = ({ detail, ...requested }: RequestedColumns): string[] => [
  ...(detail ? ['FIPS_SOURCE', 'FIPS_SHARE', 'DONOR_ID', ...nameColumns({ detail, ...requested })] : []),
  ...(requested.placed ? ['ETHNICITY_BASIS', 'SURNAME_LISTED'] : []),
  ...(requested.tractIncomes ? ['TRACT_INCOME_MEDIAN'] : []),
];

/** County and tract of a place as `COPY_COLUMNS` has it: outcome, county, tract, block and address id; `P`; or ''. */
export function placeCodes(place: string): { fips: Fips | null; tract: string | null } {
  const [, fips = '', tract = ''] = place.split(',');
  return { fips: fips || null, tract: tract || null };
}
