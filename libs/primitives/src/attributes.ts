/** Shares of a surname's bearers, in the order in which tables, results and CSV columns hold them. */
export const PCT_ORDER = ['white', 'black', 'api', 'aian', '2prace', 'hispanic'] as const;

/** What we know of one contribution. Null is unknown; a share is in hundredths of a percent, so that it stays exact. */
export interface Attributes {
  readonly ageYears: number | null;
  readonly gender: string | null;
  readonly race: string | null;
  /** Six shares in `PCT_ORDER`; null when the surname is unknown. */
  readonly pctHundredths: ArrayLike<number> | null;
  readonly fips: string | null;
  readonly county: string | null;
  readonly householdIncome: number | null;
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

/** Columns that follow the caller's own in a contributions file; keys of a contribution's result in JSON. */
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
export type ContributionResult = Record<(typeof CONTRIBUTION_COLUMNS)[number], string | number | null>;

/** Not yet asked, or the geocoder is down: never to be read as "no match". */
export const GEOCODE_PENDING = 'PENDING';

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

/** @param geocodeStatus null where the item could not be read at all */
export const contributionResult = (found: Attributes, geocodeStatus: string | null): ContributionResult => ({
  AGE: found.ageYears,
  GENDER: found.gender,
  ETHNICITY: found.race,
  PCT_WHITE: percent(found.pctHundredths, 0),
  PCT_BLACK: percent(found.pctHundredths, 1),
  PCT_API: percent(found.pctHundredths, 2),
  PCT_AIAN: percent(found.pctHundredths, 3),
  PCT_2PRACE: percent(found.pctHundredths, 4),
  PCT_HISPANIC: percent(found.pctHundredths, 5),
  FIPS: found.fips,
  COUNTY: found.county,
  TRACT_CD: null,
  BLOCK_CD: null,
  HH_INCOME_MEDIAN: found.householdIncome,
  ADDRESS_ID: null,
  GEOCODE_STATUS: geocodeStatus,
});
