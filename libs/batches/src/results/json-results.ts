import {
  type CountyFinder,
  type NameDetail,
  ageGenderResult,
  contributionResult,
  ethnicityResult,
} from '@donorlens/primitives';
import { splitFields } from '@donorlens/tabular';
import { type Batch } from '../batch';
import { OTHER_KEYS, jsonSource } from '../intake/item-keys';
import { NO_AREAS, RowAreas } from './result-areas';
import { COLUMN, type DetailFinder, type ResultRows, mayHaveGaps } from './result-rows';

/**
 * Result objects of a batch: the same as of a bulk lookup, with the client's id, the error code of a row without a
 * result, and row numbers if rows may be missing.
 */
export class JsonResults {
  private readonly areas: RowAreas;

  constructor(
    private readonly batch: Batch,
    private readonly countyOf: CountyFinder,
    private readonly detailOf?: DetailFinder,
    areas = NO_AREAS,
  ) {
    this.areas = new RowAreas(areas);
  }

  /** JSON text of the row last read. */
  text(rows: ResultRows): string {
    const error = rows.text(COLUMN.error_code);
    const source = this.sourceReader(rows);
    const id = source('id');
    return JSON.stringify({
      ...this.answer(rows, source),
      ...(this.detailOf ? this.detail(rows.detail(this.detailOf)) : {}),
      ...(id === undefined ? {} : { id }),
      ...(error === null ? {} : { error }),
      ...(mayHaveGaps(this.batch) ? { row: rows.integer(COLUMN.row_no) } : {}),
    });
  }

  private answer(rows: ResultRows, source: (field: 'surname') => string | undefined): object {
    const found = rows.attributes;
    if (this.batch.type === 'age_gender') return ageGenderResult(found);
    if (this.batch.type === 'ethnicity') return ethnicityResult(found, source('surname') ?? '');
    const placed = this.areas.ethnicity(rows);
    const income = this.areas.tractIncome(rows);
    return {
      ...contributionResult({ ...found, ...placed }, rows.place(this.countyOf)),
      ...(placed && { ethnicity_basis: placed.ethnicityBasis, surname_listed: placed.isSurnameListed }),
      ...(income !== undefined && { tract_income_median: income }),
    };
  }

  private detail(detail: NameDetail | null): object {
    const keys = this.areas.detailColumns(this.batch.type).map((column) => column.toLowerCase() as keyof NameDetail);
    return Object.fromEntries(keys.map((key) => [key, detail?.[key] ?? null]));
  }

  /** Reads a field of the client's item, which is parsed only if it may have the field. */
  private sourceReader(rows: ResultRows): (field: 'id' | 'surname') => string | undefined {
    const { itemFormat, columns, mapping } = this.batch;
    if (itemFormat === 'csv')
      return (field) => {
        const column = mapping[field] ?? (field === 'surname' ? mapping.contributor_name : undefined);
        return column === undefined ? undefined : splitFields(rows.text(COLUMN.source) ?? '', ',', true)[column];
      };
    const item = jsonSource(rows.text(COLUMN.source));
    return (field) => {
      const column = mapping[field];
      const value = item[columns && column !== undefined ? columns[column] : field];
      return typeof value === 'string' ? value : undefined;
    };
  }
}

/** Values of an item under the keys that are columns, as text: strings as they are, other values as JSON. */
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
