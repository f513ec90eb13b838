import {
  AMBIGUOUS_NAME,
  type BatchType,
  type ContributionField,
  FIELD_NAMES,
  type FieldMapping,
  type ItemErrorCode,
} from '@donorlens/primitives';
import { type AddressKeys } from '@donorlens/locations';
import { type Contribution, emptyContribution, postalAddress } from './contribution';
import { EnrichedItem, type EnrichmentTables, enrichContribution, enrichmentRules } from './enrich-contribution';

export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_ID_LENGTH = 64;
/** The types age_gender and ethnicity accept only such dates, in single, bulk and batch requests. */
const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Keys of each field of an item; the first that is present and not null is used. */
export type JsonKeys = Readonly<Record<ContributionField, readonly string[]>>;

const WITH_NAME: Readonly<Record<BatchType, ContributionField>> = {
  age_gender: 'first_name',
  ethnicity: 'surname',
  contributions: 'contributor_name',
};

/** @param columns - the keys that `mapping` refers to, if the client has given a mapping */
export function jsonKeys(type: BatchType, columns: readonly string[] | null, mapping: FieldMapping): JsonKeys {
  const keys = Object.entries(FIELD_NAMES).map(([field, names]) => {
    const column = mapping[field as ContributionField];
    if (columns && column !== undefined) return [field, [columns[column]]];
    return [field, field === WITH_NAME[type] ? [...names, AMBIGUOUS_NAME] : names];
  });
  return Object.fromEntries(keys) as JsonKeys;
}

/**
 * Reads an item of JSON. Keys are looked up one by one and objects are not merged, so `__proto__` is an ordinary key.
 * @returns the error code if it cannot be read, else null
 */
export function readJsonItem(
  item: unknown,
  keys: JsonKeys,
  type: BatchType,
  contribution: Contribution,
): ItemErrorCode | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return 'bad_json';
  const object = item as JsonObject;
  const id = valueOf(object, keys.id);
  if (type !== 'contributions' && id !== undefined && (typeof id !== 'string' || id.length > MAX_ID_LENGTH))
    return 'bad_id';
  const texts = [
    valueOf(object, keys.first_name),
    valueOf(object, keys.surname),
    valueOf(object, keys.contributor_name),
    valueOf(object, keys.entity_type),
    valueOf(object, keys.date),
    valueOf(object, keys.fips),
  ];
  if (!texts.every(isTextOrNone)) return 'bad_type';
  const [firstName, surname, contributorName, entityType, date, fips] = texts;
  const year = valueOf(object, keys.year);
  // The type ethnicity accepts years as numbers only, in single, bulk and batch requests.
  const asText = typeof year === 'string' && type !== 'ethnicity';
  if (year !== undefined && typeof year !== 'number' && !asText) return 'bad_year';
  if (type !== 'contributions' && date !== undefined && !PLAIN_DATE.test(date)) return 'bad_date';
  if (type === 'contributions' && !readAddress(object, keys, contribution)) return 'bad_type';
  contribution.firstName = firstName?.trim();
  contribution.surname = surname?.trim();
  contribution.contributorName = contributorName?.trim();
  contribution.entityType = entityType?.trim();
  contribution.date = date?.trim();
  contribution.fips = fips?.trim();
  contribution.year = year === undefined ? undefined : String(year);
  return null;
}

/** @returns false if a part is not a string: a ZIP as a number has lost its leading zeros */
function readAddress(object: JsonObject, keys: JsonKeys, contribution: Contribution): boolean {
  const parts = [
    valueOf(object, keys.street),
    valueOf(object, keys.street_2),
    valueOf(object, keys.city),
    valueOf(object, keys.state),
    valueOf(object, keys.zip),
  ];
  if (!parts.every(isTextOrNone)) return false;
  const [street, street2, city, state, zip] = parts;
  contribution.street = street?.trim();
  contribution.street2 = street2?.trim();
  contribution.city = city?.trim();
  contribution.state = state?.trim();
  contribution.zip = zip?.trim();
  return true;
}

const NO_TEXTS: ReadonlySet<string> = new Set<ContributionField>(['id', 'year']);

/** Keys of a contribution with the error `bad_type` whose values are not strings. */
export function nonStringKeys(item: JsonObject): string[] {
  return Object.entries(KEYS.contributions).flatMap(([field, names]) => {
    const key = NO_TEXTS.has(field) ? undefined : keyThere(item, names);
    return key === undefined || typeof item[key] === 'string' ? [] : [key];
  });
}

const isTextOrNone = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

function valueOf(object: JsonObject, names: readonly string[]): unknown {
  const key = keyThere(object, names);
  return key === undefined ? undefined : object[key];
}

/** The first of the keys that has a value. */
function keyThere(object: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names)
    if (Object.hasOwn(object, name) && object[name] !== undefined && object[name] !== null) return name;
  return undefined;
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

function addAddress(item: EnrichedItem, contribution: Contribution, keys: AddressKeys): void {
  const address = postalAddress(contribution);
  const key = address && keys.keyOf(address);
  if (key) item.setAddress(address, key);
}
