import {
  type AgeOptions,
  type Demographics,
  type ParsedName,
  ageAndGender,
  surnameEthnicity,
} from '@donorlens/demographics';
import { type AddressKeys } from '@donorlens/locations';
import { type BatchType, type CivilDay, type ItemErrorCode, fipsOf, yearOf } from '@donorlens/primitives';
import { type CountyTable } from '@donorlens/reference-data';
import { type Contribution, emptyContribution, parseContributionDate, parseYear, postalAddress } from './contribution';
import { EnrichedItem } from './enriched-item';
import { type JsonObject, jsonKeys, keysWithoutText, readJsonItem } from './json-contribution';

/** Tables of a data release that enrichment reads. */
export interface EnrichmentTables {
  readonly demographics: Demographics;
  readonly counties: CountyTable;
}

/** Options of a request or a batch; the same for all of its rows. */
export interface EnrichmentRules extends AgeOptions {
  readonly type: BatchType;
}

/** @param minAge - minimum age in completed years; null for none */
export const enrichmentRules = (type: BatchType, minAge: number | null): EnrichmentRules => ({
  type,
  minAge,
  hasGivenNames: type === 'contributions',
});

/** Limits the work on a row; equals the length of the FEC's name field. */
const MAX_NAME_LENGTH = 200;
/** Values of ENTITY_TP that are not persons: such rows have no age, gender or ethnicity. */
const ORGANISATIONS = new Set(['CCM', 'COM', 'ORG', 'PAC', 'PTY']);
/** Selects the surname file that parses a name if the row has no year; no ethnicity is derived from it. */
const ANY_YEAR = 2010;

/**
 * Enriches one contribution. Single, bulk and batch requests all use this function.
 *
 * - Names: first_name and surname; if blank, the parts of contributor_name. An organisation has no attributes of persons.
 * - The first name of a contribution may include a title or an initial (`Dr. Thomas J.`). It is looked up unchanged; if
 *   that finds nothing or it has an initial, it is parsed like a filed name. The other two batch types do not parse names.
 * - Date: an invalid date makes the row invalid. Without a date, a contribution has a gender but no age, and an ethnicity
 *   only if the row has a year, which selects the census. The other two batch types require their date or year.
 * - A county code in the input, with or without its leading zero, adds the county's income; an unknown code gives null.
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
  let known = false;
  if (!isOrganisation(contribution, parsed)) {
    if (type !== 'ethnicity') known = addAgeAndGender(item, contribution, demographics, on, rules);
    if (type !== 'age_gender' && year !== NO_YEAR)
      known = addEthnicity(item, contribution, demographics, year) || known;
  }
  if (type === 'contributions') addCounty(item, contribution.fips, counties);
  item.outcome = known ? 'ok' : 'not_found';
}

const NO_YEAR = 0;
/** No date is given; NaN is a date that is none. */
const NO_DAY = Infinity;

const isBlank = (text: string | undefined): boolean => text === undefined || text === '';

const dayOf = ({ date }: Contribution): CivilDay =>
  date === undefined || date === '' ? NO_DAY : parseContributionDate(date);

/** Year of the donation, said or that of its date; NO_YEAR without either, NaN for a text that is no year. */
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

/** The filed name taken apart, where the two plain fields leave something to ask it for. */
function parsedNameOf(contribution: Contribution, demographics: Demographics, year: number): ParsedName | null {
  const { firstName, surname, contributorName, entityType } = contribution;
  if (contributorName === undefined || contributorName === '') return null;
  if (!isBlank(firstName) && !isBlank(surname)) return null;
  return demographics.parseName(contributorName, entityType, year === NO_YEAR ? ANY_YEAR : year);
}

const isOrganisation = ({ entityType }: Contribution, parsed: ParsedName | null): boolean =>
  parsed?.kind === 'organisation' || (entityType !== undefined && ORGANISATIONS.has(entityType.toUpperCase()));

/** @returns whether the first name is in the birth files */
function addAgeAndGender(
  item: EnrichedItem,
  { firstName }: Contribution,
  demographics: Demographics,
  on: CivilDay,
  rules: EnrichmentRules,
): boolean {
  const name = isBlank(firstName) ? item.parsed?.firstKey : firstName;
  if (!name) return false;
  return ageAndGender(name, on === NO_DAY ? NaN : on, rules, demographics, item).nameIndex >= 0;
}

/** @returns true if the surname is in the census file of the year */
function addEthnicity(
  item: EnrichedItem,
  { surname }: Contribution,
  demographics: Demographics,
  year: number,
): boolean {
  const name = isBlank(surname) ? item.parsed?.surnameKey : surname;
  if (!name) return false;
  return surnameEthnicity(name, year, demographics, item).surnameTable !== null;
}

function addCounty(item: EnrichedItem, fips: string | undefined, counties: CountyTable): void {
  if (fips === undefined || fips === '') return;
  const county = counties.find(fipsOf(fips) ?? '');
  if (!county) return;
  item.fips = county.fips;
  item.householdIncome = county.medianHouseholdIncome;
}

const KEYS = {
  age_gender: jsonKeys('age_gender', null, {}),
  ethnicity: jsonKeys('ethnicity', null, {}),
  contributions: jsonKeys('contributions', null, {}),
};

/**
 * Enriches one parsed JSON item, with the same result as in a batch.
 * @param addressKeys - if given, the result of a contribution includes its address
 */
export function enrichItem(
  type: BatchType,
  item: unknown,
  tables: EnrichmentTables,
  minAge: number | null = null,
  addressKeys: AddressKeys | null = null,
): EnrichedItem {
  const contribution = emptyContribution();
  const answer = new EnrichedItem();
  const fault = readJsonItem(item, KEYS[type], type, contribution);
  if (fault === null) enrichContribution(contribution, tables, enrichmentRules(type, minAge), answer);
  else answer.refuse(fault);
  if (type === 'contributions' && addressKeys && answer.errorCode === null)
    addAddress(answer, contribution, addressKeys);
  return answer;
}

/** Keys of an item with the error `bad_type` whose values are not strings. */
export const wronglyTyped = (type: BatchType, item: JsonObject): string[] => keysWithoutText(item, KEYS[type]);

function addAddress(item: EnrichedItem, contribution: Contribution, keys: AddressKeys): void {
  const address = postalAddress(contribution);
  const key = address && keys.keyOf(address);
  if (!key) return;
  item.address = address;
  item.addressKey = key;
}
