/** County code of five digits: state (2) and county (3). Text, because `06037` starts with a zero and means it. */
export type Fips = string;

/** The county code; a leading zero that a spreadsheet removed (`6037`) is restored. Null: not a county code. */
export function fipsOf(text: string): Fips | null {
  if (/^\d{5}$/.test(text)) return text;
  return /^[1-9]\d{3}$/.test(text) ? `0${text}` : null;
}

/** Outcomes of a geocoder; the index is the value of `location.outcome`. */
export const GEOCODE_OUTCOMES = ['MATCH', 'NO_MATCH', 'TIE'] as const;
export type GeocodeOutcome = (typeof GEOCODE_OUTCOMES)[number];

/**
 * Beside its outcomes: SKIPPED for an address that is not geocoded (missing, a post office box, abroad);
 * PENDING for one without an outcome yet, which does not mean "no match".
 */
export type GeocodeStatus = GeocodeOutcome | 'SKIPPED' | 'PENDING';

/** Outcome of an address. A tie may have a county: that of all its candidates. */
export interface Location {
  readonly outcome: GeocodeOutcome;
  readonly fips: Fips | null;
  /** Six digits. */
  readonly tract: string | null;
  /** Four digits. */
  readonly block: string | null;
  /** The same for all spellings that lead to one matched address; null without a match. */
  readonly addressId: string | null;
}

/** Place of the address of a contribution. The county may be known without the rest. */
export interface Place extends Omit<Location, 'outcome'> {
  readonly county: string | null;
  /** Dollars a year, median of the county. */
  readonly householdIncome: number | null;
  /** Null if the item could not be read. */
  readonly status: GeocodeStatus | null;
  /** Source of the county: the geocoded address, the client, or the ZIP; null without a county. */
  readonly fipsSource: 'address' | 'given' | 'zip' | null;
  /** If the county is that of the ZIP: percent of the ZIP's people who live in it. */
  readonly zipSharePct: number | null;
}

export const NO_PLACE: Place = {
  fips: null,
  county: null,
  tract: null,
  block: null,
  householdIncome: null,
  addressId: null,
  status: null,
  fipsSource: null,
  zipSharePct: null,
};

interface County {
  readonly name: string;
  readonly medianHouseholdIncome: number | null;
}

/** Finds a county in a data release; null if it has none with this code. */
export type CountyFinder = (fips: Fips) => County | null;

/** The county in which most people of a ZIP live. */
export interface ZipCounty {
  readonly county: County & { readonly fips: Fips };
  /** Percent of the ZIP's people who live in it. */
  readonly sharePct: number;
}

/** @param zip - five digits, or '' */
export type ZipCountyFinder = (zip: string) => ZipCounty | null;

/** County of a row without a geocoded address: the sender's, or by ZIP if it has a share. */
type OwnCounty = Pick<Place, 'fips' | 'zipSharePct'>;

/**
 * The place of an address: that of its location, else the row's own county.
 * @param address - its location; SKIPPED or PENDING if it has none
 */
export function placeOf(address: Location | 'SKIPPED' | 'PENDING', own: OwnCounty, countyOf: CountyFinder): Place {
  const location = typeof address === 'string' ? null : address;
  const fips = location?.fips ?? own.fips;
  const isGeocoded = typeof location?.fips === 'string';
  const ownSource = own.zipSharePct === null ? 'given' : 'zip';
  const county = fips === null ? null : countyOf(fips);
  return {
    fips,
    county: county?.name ?? null,
    tract: location?.tract ?? null,
    block: location?.block ?? null,
    householdIncome: county?.medianHouseholdIncome ?? null,
    addressId: location?.addressId ?? null,
    status: typeof address === 'string' ? address : address.outcome,
    fipsSource: fips === null ? null : isGeocoded ? 'address' : ownSource,
    zipSharePct: isGeocoded ? null : own.zipSharePct,
  };
}
