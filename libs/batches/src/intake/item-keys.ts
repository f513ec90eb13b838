import { type ContributionField, type FieldMapping } from '@donorlens/primitives';

/** Last column of JSON items' results as CSV: the keys without a column of their own, as JSON. */
export const OTHER_KEYS = 'OTHER';

/** The client's item; empty if its text is no JSON object. */
export function jsonSource(source: string | null): Readonly<Record<string, unknown>> {
  try {
    const item: unknown = JSON.parse(source ?? '');
    return typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const MAX_KEYS = 200;
const MAX_KEY_LENGTH = 200;
/** jsonb holds neither NUL nor half a surrogate pair. */
export const isStorable = (key: string): boolean => !/\0|\p{Cs}/u.test(key);

/**
 * The keys of JSON items in the order in which they are first seen: the columns of their results as CSV. A key without a
 * column (the 201st, one that is too long, one first seen after the head of a large input) goes into a last column.
 */
export class ItemKeys {
  private readonly seen = new Set<string>();
  private open = true;
  private left = false;

  note(bytes: Buffer, start: number, end: number): void {
    if (!this.open) return;
    for (const key of Object.keys(jsonSource(bytes.toString('utf8', start, end)))) {
      if (this.seen.has(key)) continue;
      if (this.seen.size < MAX_KEYS && canBeColumn(key)) this.seen.add(key);
      else this.left = true;
    }
  }

  /** Ignores all further items, which may have keys that were not seen. */
  close(): void {
    this.open = false;
    this.left = true;
  }

  /** @param mapped - the client's keys of some fields, which are columns whether an item has them or not */
  columns(mapped: readonly string[]): readonly string[] {
    const columns = [...new Set([...this.seen, ...mapped])];
    return this.left || mapped.includes(OTHER_KEYS) ? [...columns, OTHER_KEYS] : columns;
  }
}

const canBeColumn = (key: string): boolean => key !== OTHER_KEYS && key.length <= MAX_KEY_LENGTH && isStorable(key);

/** Index of each field's key in the columns. */
export const mappingOf = (
  keyOf: Readonly<Partial<Record<ContributionField, string>>>,
  columns: readonly string[],
): FieldMapping => Object.fromEntries(Object.entries(keyOf).map(([field, key]) => [field, columns.indexOf(key)]));
