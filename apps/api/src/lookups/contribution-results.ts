import { contributionResult, type EnrichedItem, enrichItem, wronglyTyped } from '@donorlens/enrichment';
import { type AddressKeys } from '@donorlens/locations';
import { type CountyFinder, ITEM_ERRORS, type ItemErrorCode, type Location, placeOf } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type Fault, invalidRequest, MOST_FAULTS } from '../http/problem';
import { inPieces } from '../http/turns';
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
    for (let at = from; at < to && faults.length <= MOST_FAULTS; at++) {
      const item = enrichItem('contributions', queries[at], release, minAge === 0 ? null : minAge, keys);
      const code = item.errorCode ?? idFault(queries[at]);
      if (code !== null) faults.push(...faultsOf(code, queries[at], at));
      else items.push(item);
    }
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
 * The answer as JSON text, one result per query in their order.
 * @param items     of the queries
 * @param locations by `key.toString('latin1')`; an address that is not there is PENDING
 */
export async function contributionResults(
  queries: readonly unknown[],
  items: readonly EnrichedItem[],
  locations: ReadonlyMap<string, Location>,
  countyOf: CountyFinder,
): Promise<string> {
  const resultOf = (item: EnrichedItem, at: number): string => {
    const key = item.addressKey;
    const address = key === null ? 'SKIPPED' : (locations.get(key.toString('latin1')) ?? 'PENDING');
    const id = idOf(queries[at]);
    return JSON.stringify({
      ...contributionResult(item, placeOf(address, item.fips, countyOf)),
      ...(id !== undefined && { id }),
    });
  };
  let text = '{"results":[';
  await inPieces(items.length, (from, to) => {
    for (let at = from; at < to; at++) text += (at > 0 ? ',' : '') + resultOf(items[at], at);
  });
  return `${text}]}`;
}

const idOf = (query: unknown): unknown => (query as { id?: unknown }).id;

function idFault(query: unknown): ItemErrorCode | null {
  const id = idOf(query);
  return id === undefined || (typeof id === 'string' && id.length <= MOST_ID) ? null : 'bad_id';
}
