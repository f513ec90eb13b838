import { type Place } from './place';

/** Shares of a surname's bearers, in the order in which tables, results and CSV columns hold them. */
export const PCT_ORDER = ['white', 'black', 'api', 'aian', '2prace', 'hispanic'] as const;

/** What ethnicity follows from: the surname, or surname and place. */
export const ETHNICITY_OPTIONS = ['surname', 'place'] as const;
export type EthnicityOption = (typeof ETHNICITY_OPTIONS)[number];

/** What we know of one contribution. Null is unknown; a share is in hundredths of a percent, so that it stays exact. */
export interface Attributes {
  readonly ageYears: number | null;
  readonly gender: string | null;
  readonly race: string | null;
  /** Six shares in `PCT_ORDER`; null when the surname is unknown. */
  readonly pctHundredths: ArrayLike<number> | null;
}

export interface AgeGenderResult {
  age: number | null;
  gender: string | null;
}

export interface EthnicityResult {
  pct2prace: number | null;
  pctaian: number | null;
  pctapi: number | null;
  pctblack: number | null;
  pcthispanic: number | null;
  pctwhite: number | null;
  race: string | null;
  surname: string;
}

/** Columns that follow the caller's own in a contributions file. */
export const CONTRIBUTION_COLUMNS = [
  'AGE',
  'GENDER',
  'ETHNICITY',
  'PCT_WHITE',
  'PCT_BLACK',
  'PCT_API',
  'PCT_AIAN',
  'PCT_2PRACE',
  'PCT_HISPANIC',
  'FIPS',
  'COUNTY',
  'TRACT_CD',
  'BLOCK_CD',
  'HH_INCOME_MEDIAN',
  'ADDRESS_ID',
  'GEOCODE_STATUS',
] as const;

/** Columns that `detail=true` adds to the results of batches and to the contributions file. */
export const NAME_DETAIL_COLUMNS = [
  'AGE_Q25',
  'AGE_Q75',
  'GENDER_PROB',
  'FEMALE_SHARE_LIVING',
  'FIRST_NAME_KEY',
  'SURNAME_KEY',
  'NAME_KIND',
  'AGE_BASIS',
  'ETHNICITY_BASIS',
] as const;
export type NameDetailColumn = (typeof NAME_DETAIL_COLUMNS)[number];

/** Columns of results and of the contributions file that are not text. */
export const ADDED_KINDS: Readonly<Record<string, 'whole' | 'number' | 'flag'>> = {
  AGE: 'whole',
  PCT_WHITE: 'number',
  PCT_BLACK: 'number',
  PCT_API: 'number',
  PCT_AIAN: 'number',
  PCT_2PRACE: 'number',
  PCT_HISPANIC: 'number',
  HH_INCOME_MEDIAN: 'whole',
  AGE_Q25: 'whole',
  AGE_Q75: 'whole',
  GENDER_PROB: 'number',
  FEMALE_SHARE_LIVING: 'number',
  FIPS_SHARE: 'number',
  SURNAME_LISTED: 'flag',
  TRACT_INCOME_MEDIAN: 'whole',
  ROW: 'whole',
};

/** Confidence and basis of the estimates of a row, by column name in lower case. Null is unknown. */
export interface NameDetail {
  /** Completed years: a quarter of the people with the name are younger, or of this age. */
  readonly age_q25: number | null;
  readonly age_q75: number | null;
  /** 0 to 1: share of the name's births that have the gender. */
  readonly gender_prob: number | null;
  /** 0 to 1: share of women among the living people with the name, of the age basis. */
  readonly female_share_living: number | null;
  /** Spelling under which the name was found. */
  readonly first_name_key: string | null;
  readonly surname_key: string | null;
  readonly name_kind: 'person' | 'couple' | 'organization' | 'unparsed' | null;
  readonly age_basis: 'name' | 'adult' | 'donors' | 'group' | null;
  readonly ethnicity_basis: 'surname' | null;
}

/** Values of a detail as cells; empty cells of none. They need no quotes. */
export const nameDetailCells = (columns: readonly NameDetailColumn[], detail: NameDetail | null): string =>
  columns.map((column) => `,${detail?.[column.toLowerCase() as Lowercase<NameDetailColumn>] ?? ''}`).join('');

/** The same in JSON: the columns in lower case, in their order. */
export interface ContributionResult {
  age: number | null;
  gender: string | null;
  ethnicity: string | null;
  pct_white: number | null;
  pct_black: number | null;
  pct_api: number | null;
  pct_aian: number | null;
  pct_2prace: number | null;
  pct_hispanic: number | null;
  fips: string | null;
  county: string | null;
  tract_cd: string | null;
  block_cd: string | null;
  hh_income_median: number | null;
  address_id: string | null;
  geocode_status: string | null;
}

const percent = (shares: ArrayLike<number> | null, at: number): number | null => (shares ? shares[at] / 100 : null);

export const ageGenderResult = ({ ageYears, gender }: Attributes): AgeGenderResult => ({ age: ageYears, gender });

/** @param surname as the caller gave it: it is echoed, blanks and accents included */
export const ethnicityResult = ({ race, pctHundredths: pct }: Attributes, surname: string): EthnicityResult => ({
  pct2prace: percent(pct, 4),
  pctaian: percent(pct, 3),
  pctapi: percent(pct, 2),
  pctblack: percent(pct, 1),
  pcthispanic: percent(pct, 5),
  pctwhite: percent(pct, 0),
  race,
  surname,
});

export const contributionResult = (found: Attributes, place: Place): ContributionResult => ({
  age: found.ageYears,
  gender: found.gender,
  ethnicity: found.race,
  pct_white: percent(found.pctHundredths, 0),
  pct_black: percent(found.pctHundredths, 1),
  pct_api: percent(found.pctHundredths, 2),
  pct_aian: percent(found.pctHundredths, 3),
  pct_2prace: percent(found.pctHundredths, 4),
  pct_hispanic: percent(found.pctHundredths, 5),
  fips: place.fips,
  county: place.county,
  tract_cd: place.tract,
  block_cd: place.block,
  hh_income_median: place.householdIncome,
  address_id: place.addressId,
  geocode_status: place.status,
});
