import { type AddressKeys } from '@donorlens/locations';
import { type BatchType } from '@donorlens/primitives';
import { postalAddress } from './addresses/postal-address';
import { type Contribution, emptyContribution } from './contribution';
import { enrichContribution, type EnrichmentTables } from './enrich-contribution';
import { EnrichedItem } from './enriched-item';
import { type JsonObject, jsonKeys, keysWithoutText, readJsonItem } from './json-contribution';

const KEYS = {
  age_gender: jsonKeys('age_gender', null, {}),
  ethnicity: jsonKeys('ethnicity', null, {}),
  contributions: jsonKeys('contributions', null, {}),
};

/**
 * One parsed JSON item to its answer: what a batch of such items would say of it.
 * @param addressKeys a contribution's answer has its address; without them, none
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
  if (fault === null) enrichContribution(contribution, tables, { type, minAge }, answer);
  else answer.refuse(fault);
  if (type === 'contributions' && addressKeys && answer.errorCode === null)
    addAddress(answer, contribution, addressKeys);
  return answer;
}

/** Which keys of an item that is `bad_type` have values of a wrong type: all of them should be text. */
export const wronglyTyped = (type: BatchType, item: JsonObject): string[] => keysWithoutText(item, KEYS[type]);

function addAddress(item: EnrichedItem, contribution: Contribution, keys: AddressKeys): void {
  const address = postalAddress(contribution);
  const key = address && keys.keyOf(address);
  if (!key) return;
  item.address = address;
  item.addressKey = key;
}
