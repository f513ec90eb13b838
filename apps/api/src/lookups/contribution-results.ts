import { PCT_COLUMNS } from '@donorlens/demographics';
import { type EnrichedItem, enrichItem, wronglyTyped } from '@donorlens/enrichment';
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
import { type Fault, invalidRequest, MOST_FAULTS } from '../http/problem';
import { inPieces } from '../http/turns';
import { HUNDREDTHS, bulkAnswer } from './bulk-answer';
import { MOST_ID } from './wire-schemas';

/** The field that a fault is about; the others are about the item as a whole. */
const FIELD_OF: Partial<Record<ItemErrorCode, string>> = {
  bad_date: '/date',
  bad_fips: '/fips',
  bad_id: '/id',
  bad_year: '/year',
};

/** What their names, dates and counties say. @throws Problem 400 that names every bad one */
export async function enrichedQueries(
  queries: readonly unknown[],
  release: Release,
  minAge: number,
  keys: AddressKeys,
): Promise<EnrichedItem[]> {
  const faults: Fault[] = [];
  const items: EnrichedItem[] = [];
  await inPieces(queries.length, (from, to) => {
    for (let at = from; at < to; at++) {
      if (faults.length > MOST_FAULTS) return false;
      const item = enrichItem('contributions', queries[at], release, minAge === 0 ? null : minAge, keys);
      const code = item.errorCode ?? idFault(queries[at]);
      if (code !== null) faults.push(...faultsOf(code, queries[at], at));
      else items.push(item);
    }
    return true;
  });
  if (faults.length > 0) throw invalidRequest(faults);
  return items;
}

function faultsOf(code: ItemErrorCode, query: unknown, at: number): Fault[] {
  const pointer = `/queries/${at}`;
  if (code !== 'bad_type') return [{ pointer: pointer + (FIELD_OF[code] ?? ''), detail: ITEM_ERRORS[code] }];
  const keys = wronglyTyped('contributions', query as Readonly<Record<string, unknown>>);
  return keys.map((key) => ({ pointer: `${pointer}/${key}`, detail: 'must be text' }));
}

/**
 * The answer, one result per query in their order.
 * @param items     of the queries
 * @param locations by `key.toString('latin1')`; an address that is not there is PENDING
 */
export const contributionResults = (
  queries: readonly unknown[],
  items: readonly EnrichedItem[],
  locations: ReadonlyMap<string, Location>,
  countyOf: CountyFinder,
): Promise<string | Buffer | undefined> =>
  bulkAnswer(items.length, (at) => {
    const item = items[at];
    const key = item.addressKey;
    const address = key === null ? 'SKIPPED' : (locations.get(key.toString('latin1')) ?? 'PENDING');
    const id = idOf(queries[at]);
    const result = contributionText(item, placeOf(address, item.fips, countyOf));
    return id === undefined ? `${result}}` : `${result},"id":${JSON.stringify(id)}}`;
  });

const SHARES = PCT_COLUMNS.map((group) => `,"pct_${group}":`);
const NO_SHARES = SHARES.map((name) => `${name}null`).join('');

/** What `contributionResult` gives, as JSON text without the closing brace. */
export function contributionText({ ageYears, gender, race, pctHundredths: pct }: Attributes, place: Place): string {
  let text = `{"age":${ageYears},"gender":${code(gender)},"ethnicity":${code(race)}`;
  if (pct === null) text += NO_SHARES;
  else for (let i = 0; i < SHARES.length; i++) text += SHARES[i] + HUNDREDTHS[pct[i]];
  const county = place.county === null ? null : JSON.stringify(place.county);
  text += `,"fips":${code(place.fips)},"county":${county},"tract_cd":${code(place.tract)},"block_cd":${code(place.block)}`;
  return `${text},"hh_income_median":${place.householdIncome},"address_id":${code(place.addressId)},"geocode_status":${code(place.status)}`;
}

/** Nothing in it that JSON escapes. */
const code = (value: string | null): string => (value === null ? 'null' : `"${value}"`);

const idOf = (query: unknown): unknown => (query as { id?: unknown }).id;

function idFault(query: unknown): ItemErrorCode | null {
  const id = idOf(query);
  return id === undefined || (typeof id === 'string' && id.length <= MOST_ID) ? null : 'bad_id';
}
