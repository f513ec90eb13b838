import {
  AREA_LEVELS,
  type AreaCodes,
  type EthnicityBasis,
  PCT_COLUMNS,
  type PlaceEthnicity,
  emptyPlaceEthnicity,
  placeEthnicity,
  tractIncome,
} from '@donorlens/demographics';
import { type EnrichedItem, enrichItem, nonStringKeys } from '@donorlens/enrichment';
import { type AddressKeys } from '@donorlens/locations';
import {
  type Attributes,
  type CountyFinder,
  ITEM_ERRORS,
  type ItemErrorCode,
  type Location,
  type Place,
  placeOf,
} from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type RequestedAreas } from '../schemas/parameters';
import { type Fault, invalidRequest, MAX_FAULTS } from '../http/problem';
import { ITEMS_PER_YIELD, yieldToEventLoop } from '../http/request-scheduling';
import { HUNDREDTHS, bulkAnswer } from './bulk-request';
import { MAX_ID } from '../schemas/queries';

/** JSON pointer of the invalid field by error code; other errors concern the whole item. */
const FIELD_OF: Partial<Record<ItemErrorCode, string>> = {
  bad_date: '/date',
  bad_fips: '/fips',
  bad_id: '/id',
  bad_year: '/year',
};

/** Enriches queries by name, date and county. @throws Problem 400 that lists all invalid queries */
export async function enrichedQueries(
  queries: readonly unknown[],
  release: Release,
  minAge: number,
  keys: AddressKeys,
): Promise<EnrichedItem[]> {
  const faults: Fault[] = [];
  const items: EnrichedItem[] = [];
  for (let at = 0; at < queries.length && faults.length <= MAX_FAULTS; at++) {
    if (at > 0 && at % ITEMS_PER_YIELD === 0) await yieldToEventLoop();
    const item = enrichItem('contributions', queries[at], release, minAge === 0 ? null : minAge, keys);
    const code = item.errorCode ?? idFault(queries[at]);
    if (code !== null) faults.push(...faultsOf(code, queries[at], at));
    else items.push(item);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return items;
}

function faultsOf(code: ItemErrorCode, query: unknown, at: number): Fault[] {
  const pointer = `/queries/${at}`;
  if (code !== 'bad_type') return [{ pointer: pointer + (FIELD_OF[code] ?? ''), detail: ITEM_ERRORS[code] }];
  const keys = nonStringKeys(query as Readonly<Record<string, unknown>>);
  return keys.map((key) => ({ pointer: `${pointer}/${key}`, detail: 'must be text' }));
}

/**
 * The body of the response, one result per query in the order of the queries.
 * @param items - enriched queries
 * @param tables - counties and requested area tables of one data release
 * @param detail - adds the basis of gender and county
 * @param locations - geocoding results by `key.toString('latin1')`; a missing address is PENDING
 */
export const contributionResults = (
  queries: readonly unknown[],
  items: readonly EnrichedItem[],
  locations: ReadonlyMap<string, Location>,
  { countyOf, geography, tractIncomes }: RequestedAreas & { readonly countyOf: CountyFinder },
  detail: boolean,
): Promise<string | Buffer | undefined> => {
  const estimate = emptyPlaceEthnicity();
  return bulkAnswer(
    (at) => at === items.length,
    (at) => {
      const item = items[at];
      const key = item.addressKey;
      const address = key === null ? 'SKIPPED' : (locations.get(key.toString('latin1')) ?? 'PENDING');
      const id = idOf(queries[at]);
      const place = placeOf(address, item, countyOf);
      const placed = geography && placeEthnicity(item, areaCodes(place, item), geography, estimate);
      let result = contributionText(placed ? withEthnicity(item, placed) : item, place);
      if (detail)
        result += `,"gender_source":${code(item.genderSource)},"fips_source":${code(place.fipsSource)},"fips_share":${place.zipSharePct}`;
      if (placed) result += basisText(placed);
      if (tractIncomes) result += `,"tract_income_median":${tractIncome(tractIncomes, place)}`;
      return id === undefined ? `${result}}` : `${result},"id":${JSON.stringify(id)}}`;
    },
  );
};

/** JSON text of the basis members of a result, for an unlisted and a listed surname. */
const BASIS_TEXTS = new Map(
  [...AREA_LEVELS, 'surname' as const, null].map((basis) => [
    basis,
    [false, true].map((isListed) => basisMembers(basis, isListed)),
  ]),
);

function basisMembers(basis: EthnicityBasis | null, isListed: boolean): string {
  return `,"ethnicity_basis":${code(basis)},"surname_listed":${basis === null ? null : isListed}`;
}

const basisText = ({ ethnicityBasis, isSurnameListed }: PlaceEthnicity): string =>
  BASIS_TEXTS.get(ethnicityBasis)?.[isSurnameListed === true ? 1 : 0] ?? '';

/** Copies each property by name: spreading an object takes longer than the estimate. */
const areaCodes = ({ fips, tract }: Place, { zip }: EnrichedItem): AreaCodes => ({ fips, tract, zip });
const withEthnicity = ({ ageYears, gender }: EnrichedItem, { race, pctHundredths }: PlaceEthnicity): Attributes => ({
  ageYears,
  gender,
  race,
  pctHundredths,
});

const SHARES = PCT_COLUMNS.map((group) => `,"pct_${group}":`);
const NO_SHARES = SHARES.map((name) => `${name}null`).join('');

/** JSON text of a result without the closing brace. */
export function contributionText({ ageYears, gender, race, pctHundredths: pct }: Attributes, place: Place): string {
  let text = `{"age":${ageYears},"gender":${code(gender)},"ethnicity":${code(race)}`;
  if (pct === null) text += NO_SHARES;
  else for (let i = 0; i < SHARES.length; i++) text += SHARES[i] + HUNDREDTHS[pct[i]];
  const county = place.county === null ? null : JSON.stringify(place.county);
  text += `,"fips":${code(place.fips)},"county":${county},"tract_cd":${code(place.tract)},"block_cd":${code(place.block)}`;
  return `${text},"hh_income_median":${place.householdIncome},"address_id":${code(place.addressId)},"geocode_status":${code(place.status)}`;
}

/** The values need no JSON escapes. */
function code(value: string | null): string {
  return value === null ? 'null' : `"${value}"`;
}

const idOf = (query: unknown): unknown => (query as { id?: unknown }).id;

function idFault(query: unknown): ItemErrorCode | null {
  const id = idOf(query);
  return id === undefined || (typeof id === 'string' && id.length <= MAX_ID) ? null : 'bad_id';
}
