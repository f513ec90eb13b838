import { type BatchType } from '@donorlens/primitives';
import { type Batch } from '../batch';

const KEYS: Readonly<Record<BatchType, readonly string[]>> = {
  age_gender: ['id', 'name', 'date'],
  ethnicity: ['id', 'surname', 'year'],
  contributions: [
    'id',
    'first_name',
    'surname',
    'contributor_name',
    'entity_type',
    'date',
    'street',
    'city',
    'state',
    'zip',
  ],
};

/** Keys of a JSON item that become columns where its results are asked for as CSV. */
export const keysOf = (batch: Batch): readonly string[] =>
  batch.columns ? [...new Set(['id', ...batch.columns])] : KEYS[batch.type];

/** The caller's item; empty where its text is no JSON object. */
export function jsonSource(source: string | null): Readonly<Record<string, unknown>> {
  try {
    const item: unknown = JSON.parse(source ?? '');
    return typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Values of an item under some keys, as text. */
export function jsonRecord(source: string, keys: readonly string[]): string[] {
  const item = jsonSource(source);
  return keys.map((key) => {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
