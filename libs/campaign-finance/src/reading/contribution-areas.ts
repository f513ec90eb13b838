import { type AreaTable, type EthnicGeography, type NameLookup, needsNameLookup } from '@donorlens/demographics';
import { type Fips, NAME_DETAIL_COLUMNS, type NameDetailColumn } from '@donorlens/primitives';

/** Data for ethnicity by name and place, in addition to the stored shares. */
export interface PlacedNames {
  readonly geography: EthnicGeography;
  /** Looks up names by the rules of enrichment. Parameters are cells as filed. */
  readonly lookUp: (
    name: string,
    entityType: string,
    date: string,
  ) => Pick<NameLookup, 'isSurnameUnlisted' | 'nameIndex'>;
}

/**
 * Names of a stored contribution as input of `placeEthnicity`. The filed name is looked up only if
 * `needsNameLookup` says so.
 */
export function storedNames(
  { geography, lookUp }: PlacedNames,
  stored: Pick<NameLookup, 'pctHundredths' | 'race'>,
  ...filed: Parameters<PlacedNames['lookUp']>
): NameLookup {
  const isListed = stored.pctHundredths !== null;
  if (!needsNameLookup(geography, isListed)) return { ...stored, isSurnameUnlisted: false, nameIndex: -1 };
  const { isSurnameUnlisted, nameIndex } = lookUp(...filed);
  return { ...stored, isSurnameUnlisted: !isListed && isSurnameUnlisted, nameIndex };
}

interface RequestedColumns {
  readonly detail: unknown;
  readonly placed?: PlacedNames | null;
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
