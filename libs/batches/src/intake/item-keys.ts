import { type ContributionField, type FieldMapping } from '@donorlens/primitives';
import { OTHER_KEYS, jsonSource } from './json-items';

const MOST_KEYS = 200;
const LONGEST_KEY = 200;
/** jsonb holds neither NUL nor half a surrogate pair. */
export const isStorable = (key: string): boolean => !/\0|\p{Cs}/u.test(key);

/**
 * The keys of JSON items in the order in which they are first seen: the columns of their results as CSV. What cannot
 * have a column (the 201st key, one of absurd length, one in a row after the head of a large input) goes into a last one.
 */
export class ItemKeys {
  private readonly seen = new Set<string>();
  private open = true;
  private left = false;

  note(bytes: Buffer, start: number, end: number): void {
    if (!this.open) return;
    for (const key of Object.keys(jsonSource(bytes.toString('utf8', start, end)))) {
      if (this.seen.has(key)) continue;
      if (this.seen.size < MOST_KEYS && canBeColumn(key)) this.seen.add(key);
      else this.left = true;
    }
  }

  /** From here on items are not looked at: they may have keys that are not seen. */
  close(): void {
    this.open = false;
    this.left = true;
  }

  /** @param mapped  the caller's keys of some fields, which are columns whether an item has them or not */
  columns(mapped: readonly string[]): readonly string[] {
    const columns = [...new Set([...this.seen, ...mapped])];
    return this.left || mapped.includes(OTHER_KEYS) ? [...columns, OTHER_KEYS] : columns;
  }
}

const canBeColumn = (key: string): boolean => key !== OTHER_KEYS && key.length <= LONGEST_KEY && isStorable(key);

/** Where in the columns each field's key is. */
export const mappingOf = (
  keyOf: Readonly<Partial<Record<ContributionField, string>>>,
  columns: readonly string[],
): FieldMapping => Object.fromEntries(Object.entries(keyOf).map(([field, key]) => [field, columns.indexOf(key)]));
