import { type AreaTable, type EthnicGeography } from '@donorlens/demographics';
import { type Fips, NAME_DETAIL_COLUMNS, type NameDetailColumn } from '@donorlens/primitives';

/** Data for ethnicity by surname and place, in addition to the stored shares. */
export interface PlacedSurnames {
  readonly geography: EthnicGeography;
  /** True for a person whose surname is not in the surname file of the year. Parameters are cells as filed. */
  readonly isUnlisted: (name: string, entityType: string, date: string) => boolean;
}

interface RequestedColumns {
  readonly detail: unknown;
  readonly placed?: PlacedSurnames | null;
  readonly tractIncomes?: AreaTable | null;
}

/** Name columns that `detail` adds. With ethnicity by place, `addedColumns` adds ETHNICITY_BASIS separately. */
export const nameColumns = ({ placed }: RequestedColumns): readonly NameDetailColumn[] =>
  NAME_DETAIL_COLUMNS.filter((column) => !placed || column !== 'ETHNICITY_BASIS');

/** Requested columns that follow the columns of the file. */
export const addedColumns = ({ detail, ...requested }: RequestedColumns): string[] => [
  ...(detail ? ['FIPS_SOURCE', 'FIPS_SHARE', 'DONOR_ID', ...nameColumns({ detail, ...requested })] : []),
  ...(requested.placed ? ['ETHNICITY_BASIS', 'SURNAME_LISTED'] : []),
  ...(requested.tractIncomes ? ['TRACT_INCOME_MEDIAN'] : []),
];

/** County and tract of a place in `COPY_COLUMNS`: outcome, county, tract, block and address id; `P`; or empty. */
export function placeCodes(place: string): { fips: Fips | null; tract: string | null } {
  const [, fips = '', tract = ''] = place.split(',');
  return { fips: fips || null, tract: tract || null };
}
