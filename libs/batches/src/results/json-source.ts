import { OTHER_KEYS, jsonSource } from '../intake/json-items';

/** Values of an item under the keys that are columns, as text; texts as they are, all else as JSON. */
export function jsonRecord(source: string, columns: readonly string[]): string[] {
  const item = jsonSource(source);
  const keys = columns.at(-1) === OTHER_KEYS ? columns.slice(0, -1) : columns;
  const fields = keys.map((key) => (Object.hasOwn(item, key) ? fieldOf(item[key]) : ''));
  return keys === columns ? fields : [...fields, otherKeys(item, new Set(keys))];
}

function fieldOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function otherKeys(item: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): string {
  const others = Object.entries(item).filter(([key]) => !keys.has(key));
  return others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : '';
}
