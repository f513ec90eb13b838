import { type BatchType } from '@donorlens/primitives';
import { emptyContribution } from './contribution';
import { enrichContribution, type EnrichmentTables } from './enrich-contribution';
import { EnrichedItem } from './enriched-item';
import { jsonKeys, readJsonItem } from './json-contribution';

const KEYS = {
  age_gender: jsonKeys('age_gender', null, {}),
  ethnicity: jsonKeys('ethnicity', null, {}),
  contributions: jsonKeys('contributions', null, {}),
};

/** One parsed JSON item to its answer: what a batch of such items would say of it. */
export function enrichItem(
  type: BatchType,
  item: unknown,
  tables: EnrichmentTables,
  minAge: number | null = null,
): EnrichedItem {
  const contribution = emptyContribution();
  const answer = new EnrichedItem();
  const fault = readJsonItem(item, KEYS[type], type, contribution);
  if (fault === null) enrichContribution(contribution, tables, { type, minAge }, answer);
  else answer.refuse(fault);
  return answer;
}
