import { type BatchPreview, splitFields } from '@donorlens/batches';
import { jsonKeys } from '@donorlens/enrichment';
import { type BatchType } from '@donorlens/primitives';

type Found = Pick<BatchPreview, 'format' | 'columns' | 'mapping'>;

/** What is read from an item, by field; nothing for what is blank. */
export function readValues(source: string, type: BatchType, found: Found): Readonly<Record<string, string>> {
  const pairs = found.format === 'csv' ? ofRecord(source, found) : ofItem(source, type, found);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function ofRecord(source: string, { mapping }: Found): [string, string][] {
  const values = splitFields(source, ',', true);
  return Object.entries(mapping).map(([field, at]) => [field, values[at]?.trim() ?? '']);
}

function ofItem(source: string, type: BatchType, { columns, mapping }: Found): [string, string][] {
  const item = itemOf(source);
  return Object.entries(jsonKeys(type, columns, mapping)).map(([field, keys]) => {
    const value = keys.map((key) => item[key]).find((one) => one !== undefined && one !== null);
    return [field, typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''];
  });
}

/** One that cannot be read has an error of its own. */
function itemOf(source: string): Readonly<Record<string, unknown>> {
  try {
    const item: unknown = JSON.parse(source);
    return typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
