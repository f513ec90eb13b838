import {
  type AgeOptions,
  type Demographics,
  type ParsedName,
  ageAndGender,
  mayHaveTitleOrOrganization,
  surnameEthnicity,
  type AgeAndGender,
  type Gender,
  type Race,
  type SurnameEthnicity,
  type SurnameTable,
} from '@donorlens/demographics';
import { type PostalAddress, domesticZip } from '@donorlens/locations';
import {
  type BatchType,
  type CivilDay,
  type ItemErrorCode,
  fipsOf,
  yearOf,
  type ZipCounty,
  type Attributes,
  type Outcome,
} from '@donorlens/primitives';
import { type CountyTable, type Release } from '@donorlens/reference-data';
import { type Contribution, parseContributionDate, parseYear } from './contribution';

/** Tables of a data release that enrichment reads. */
export interface EnrichmentTables {
  readonly demographics: Demographics;
  readonly counties: CountyTable;
}

/** Options of a request or a batch; the same for all of its rows. */
export interface EnrichmentRules extends AgeOptions {
  readonly type: BatchType;
  /** False leaves out age and gender. */
  readonly hasAge: boolean;
}

/** @param minAge - minimum age in completed years; null for none */
export const enrichmentRules = (type: BatchType, minAge: number | null): EnrichmentRules => ({
  type,
  minAge,
  hasAge: type !== 'ethnicity',
  hasGivenNames: type === 'contributions',
});

/**
 * Rules for what an estimate by place needs: surname, ZIP and, if the data release has first names by race, the first
 * name. `outcome` has no meaning.
 */
export const placeRules = (type: BatchType, { geography }: Pick<Release, 'geography'>): EnrichmentRules => ({
  ...enrichmentRules(type, null),
  hasAge: geography?.firstNames != null,
});

/** Outcome and attributes of one item. A chunk reuses one object for all rows, so that rows need no allocation. */
export class EnrichedItem implements Attributes, AgeAndGender, SurnameEthnicity {
  outcome: Outcome = 'not_found';
  errorCode: ItemErrorCode | null = null;
  ageYears: number | null = null;
  gender: Gender | null = null;
  genderSource: AgeAndGender['genderSource'] = null;
  race: Race | null = null;
  /** County that the client gave, else that of the ZIP; geocoding the address may change it. */
  fips: string | null = null;
  /** If the county is that of the ZIP: percent of the ZIP's people who live in it. */
  zipSharePct: number | null = null;
  householdIncome: number | null = null;
  /** Both null unless the contribution has an address that can be geocoded and addresses are needed. */
  address: PostalAddress | null = null;
  addressKey: Buffer | null = null;
  surnameTable: SurnameTable | null = null;
  surnameRow = -1;
  /** True if a person's surname was looked up and the surname file of the year does not list it. */
  isSurnameUnlisted = false;
  /** Domestic ZIP code, five digits; empty if there is none. */
  zip = '';
  /** The parsed filed name, if it was needed. */
  parsed: ParsedName | null = null;
  /** Index of the first name in the birth files; -1 if it is not listed. */
  nameIndex = -1;
  /** Day of the age; null without a date. */
  on: CivilDay | null = null;
  private readonly shares = new Uint16Array(6);

  get pctHundredths(): Uint16Array | null {
    const { surnameTable: table, shares } = this;
    if (table === null) return null;
    for (let i = 0; i < 6; i++) shares[i] = table.pct[6 * this.surnameRow + i];
    return shares;
  }

  clear(): void {
    this.outcome = 'not_found';
    this.errorCode = null;
    this.ageYears = this.gender = this.genderSource = this.race = null;
    this.fips = this.householdIncome = this.zipSharePct = null;
    this.address = this.addressKey = null;
    this.surnameTable = null;
    this.surnameRow = -1;
    this.isSurnameUnlisted = false;
    this.zip = '';
    this.parsed = null;
    this.nameIndex = -1;
    this.on = null;
  }

  /** Stores an address to geocode. It determines the county, so a county by ZIP is removed. */
  setAddress(address: PostalAddress, key: Buffer): void {
    this.address = address;
    this.addressKey = key;
    if (this.zipSharePct !== null) this.fips = this.householdIncome = this.zipSharePct = null;
  }

  /** Clears all attributes and stores why the item has none. */
  refuse(code: ItemErrorCode, outcome: 'invalid' | 'failed' = 'invalid'): void {
    this.clear();
    this.outcome = outcome;
    this.errorCode = code;
  }

  copied(): EnrichedItem {
    const copy = new EnrichedItem();
    copy.outcome = this.outcome;
    copy.errorCode = this.errorCode;
    copy.ageYears = this.ageYears;
    copy.gender = this.gender;
    copy.genderSource = this.genderSource;
    copy.race = this.race;
    copy.fips = this.fips;
    copy.zipSharePct = this.zipSharePct;
    copy.householdIncome = this.householdIncome;
    copy.address = this.address;
    copy.addressKey = this.addressKey;
    copy.parsed = this.parsed;
    copy.nameIndex = this.nameIndex;
    copy.on = this.on;
    copy.surnameTable = this.surnameTable;
    copy.surnameRow = this.surnameRow;
    copy.isSurnameUnlisted = this.isSurnameUnlisted;
    copy.zip = this.zip;
    return copy;
  }
}

/** Limits the work on a row; equals the length of the FEC's name field. */
const MAX_NAME_LENGTH = 200;
/** Values of ENTITY_TP that are not persons: such rows have no age, gender or ethnicity. */
const ORGANIZATIONS = new Set(['CCM', 'COM', 'ORG', 'PAC', 'PTY']);
/** Selects the surname file that parses a name if the row has no year; no ethnicity is derived from it. */
const ANY_YEAR = 2010;

/**
 * Enriches one contribution. Single, bulk and batch requests all use this function.
 *
 * - Names: first_name and surname; if blank, the parts of contributor_name. An organization has no attributes of
 *   persons, also if only contributor_name shows that it is one. A title in contributor_name decides the gender, unless
 *   first_name has another.
 * - The first name of a contribution may include a title or an initial (`Dr. Thomas J.`). It is looked up unchanged; if
 *   that finds nothing or it has an initial, it is parsed like a filed name. The other two batch types do not parse
 * names.
 * - Date: an invalid date makes the row invalid. Without a date, a contribution has a gender but no age, and an
 *   ethnicity only if the row has a year, which selects the census. The other two batch types require their date or
 *   year.
 * - A county code in the input, with or without its leading zero, adds the county's income. Without a known code, the
 *   ZIP gives the county in which most of its people live, until the row has an address.
 * - `not_found`: neither the first name nor the surname is in the reference data.
 *
 * @param item - output; cleared first
 */
export function enrichContribution(
  contribution: Contribution,
  { demographics, counties }: EnrichmentTables,
  rules: EnrichmentRules,
  item: EnrichedItem,
): void {
  item.clear();
  const { type } = rules;
  const on = dayOf(contribution);
  const year = yearFor(contribution, on);
  const fault = faultOf(contribution, type, on, year);
  if (fault !== null) return item.refuse(fault);

  const parsed = parsedNameOf(contribution, demographics, year);
  item.parsed = parsed;
  if (on !== NO_DAY) item.on = on;
  let known = false;
  if (!isOrganization(contribution, parsed)) {
    if (rules.hasAge) known = addAgeAndGender(item, contribution, demographics, on, rules);
    if (type !== 'age_gender' && year !== NO_YEAR)
      known = addEthnicity(item, contribution, demographics, year, type) || known;
  }
  if (type === 'contributions') addCounty(item, contribution, counties);
  item.outcome = known ? 'ok' : 'not_found';
}

const NO_YEAR = 0;
/** No date is given; NaN is an invalid date. */
const NO_DAY = Infinity;

/** Text without a Latin letter is no surname. */
const LATIN_LETTER = /\p{Script=Latin}/u;

const isBlank = (text: string | undefined): boolean => text === undefined || text === '';

const dayOf = ({ date }: Contribution): CivilDay =>
  date === undefined || date === '' ? NO_DAY : parseContributionDate(date);

/** Year of the donation, from its year or date; NO_YEAR without either, NaN for an invalid year. */
function yearFor({ year }: Contribution, on: CivilDay): number {
  if (year !== undefined && year !== '') return parseYear(year);
  return on === NO_DAY ? NO_YEAR : yearOf(on);
}

function faultOf(contribution: Contribution, type: BatchType, on: CivilDay, year: number): ItemErrorCode | null {
  const { firstName, surname, contributorName, fips } = contribution;
  if (firstName === undefined && surname === undefined && contributorName === undefined) return 'missing_name';
  if (isTooLong(firstName) || isTooLong(surname) || isTooLong(contributorName)) return 'too_long';
  if (on !== on) return 'bad_date';
  if (year !== year) return 'bad_year';
  if (type === 'age_gender' && on === NO_DAY) return 'missing_date';
  if (type === 'ethnicity' && year === NO_YEAR) return 'missing_year';
  if (type === 'contributions' && fips !== undefined && fips !== '' && fipsOf(fips) === null) return 'bad_fips';
  return null;
}

const isTooLong = (name: string | undefined): boolean => name !== undefined && name.length > MAX_NAME_LENGTH;

/**
 * The parsed filed name; null without one. If first name and surname are both given, only its kind and title are
 * needed: then it is also null if it has no title and names no organization.
 */
function parsedNameOf(contribution: Contribution, demographics: Demographics, year: number): ParsedName | null {
  const { firstName, surname, contributorName, entityType } = contribution;
  if (contributorName === undefined || contributorName === '') return null;
  if (!isBlank(firstName) && !isBlank(surname) && !mayHaveTitleOrOrganization(contributorName)) return null;
  return demographics.parseName(contributorName, entityType, year === NO_YEAR ? ANY_YEAR : year);
}

export const isOrganization = ({ entityType }: Contribution, parsed: ParsedName | null): boolean =>
  parsed?.kind === 'organization' || (entityType !== undefined && ORGANIZATIONS.has(entityType.toUpperCase()));

/** @returns whether the first name is in the birth files */
function addAgeAndGender(
  item: EnrichedItem,
  { firstName }: Contribution,
  demographics: Demographics,
  on: CivilDay,
  rules: EnrichmentRules,
): boolean {
  const name = isBlank(firstName) ? item.parsed?.firstKey : firstName;
  if (name) ageAndGender(name, on === NO_DAY ? NaN : on, rules, demographics, item);
  const title = item.parsed?.donor.titleGender;
  if (title && item.genderSource !== 'title') {
    item.gender = title;
    item.genderSource = 'title';
  }
  return item.nameIndex >= 0;
}

/** @returns true if the surname is in the census file of the year */
function addEthnicity(
  item: EnrichedItem,
  { surname }: Contribution,
  demographics: Demographics,
  year: number,
  type: BatchType,
): boolean {
  let name = isBlank(surname) ? item.parsed?.surnameKey : surname;
  if (name && type === 'contributions') name = demographics.filedSurname(name, year);
  if (name) surnameEthnicity(name, year, demographics, item);
  if (item.surnameTable !== null) return true;
  item.isSurnameUnlisted = LATIN_LETTER.test((isBlank(surname) ? item.parsed?.donor.surname : surname) ?? '');
  return false;
}

/** Domestic ZIP code, five digits; empty if there is none. */
export const zipOf = ({ state, zip }: Contribution): string => (zip ? domesticZip(state ?? '', zip) : '');

function addCounty(item: EnrichedItem, contribution: Contribution, counties: CountyTable): void {
  const { fips } = contribution;
  let county: ZipCounty['county'] | null = isBlank(fips) ? null : counties.find(fipsOf(fips ?? '') ?? '');
  item.zip = zipOf(contribution);
  if (county === null && item.zip !== '') {
    const found = counties.findZip(item.zip);
    if (found) ({ county, sharePct: item.zipSharePct } = found);
  }
  if (county === null) return;
  item.fips = county.fips;
  item.householdIncome = county.medianHouseholdIncome;
}
