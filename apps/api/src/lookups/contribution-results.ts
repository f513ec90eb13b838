import { contributionResult, type EnrichedItem, enrichItem, GEOCODE_PENDING } from '@donorlens/enrichment';
import { ITEM_ERRORS, type ItemErrorCode } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type Fault, invalidRequest, MOST_FAULTS } from '../http/problem';
import { MOST_ID } from './wire-schemas';

/** The field that a fault is about; the others are about the item as a whole. */
const FIELD_OF: Partial<Record<ItemErrorCode, string>> = {
  bad_date: '/date',
  bad_fips: '/fips',
  bad_id: '/id',
  bad_year: '/year',
};

/** The answer to a body of contributions as JSON text, in their order. @throws Problem 400 that names every bad one */
export function contributionResults(queries: readonly unknown[], release: Release, minAge: number): string {
  const faults: Fault[] = [];
  const results: string[] = [];
  for (let at = 0; at < queries.length && faults.length <= MOST_FAULTS; at++) {
    const item = enrichItem('contributions', queries[at], release, minAge === 0 ? null : minAge);
    const code = item.errorCode ?? idFault(queries[at]);
    if (code !== null) faults.push({ pointer: `/queries/${at}${FIELD_OF[code] ?? ''}`, detail: ITEM_ERRORS[code] });
    else results.push(resultOf(item, queries[at]));
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return `{"results":[${results.join(',')}]}`;
}

const idOf = (query: unknown): unknown => (query as { id?: unknown }).id;

function idFault(query: unknown): ItemErrorCode | null {
  const id = idOf(query);
  return id === undefined || (typeof id === 'string' && id.length <= MOST_ID) ? null : 'bad_id';
}

function resultOf(item: EnrichedItem, query: unknown): string {
  const id = idOf(query);
  return JSON.stringify({ ...contributionResult(item, GEOCODE_PENDING), ...(id !== undefined && { id }) });
}
