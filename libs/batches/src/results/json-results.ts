import { type CountyFinder, ageGenderResult, contributionResult, ethnicityResult } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { mayHaveGaps } from './row-gaps';
import { splitFields } from '../intake/split-fields';
import { jsonSource } from '../intake/json-items';
import { type ResultRows } from './result-rows';

/**
 * Result objects of a batch: the same as in a bulk answer, with the caller's id, for a row without an answer its code,
 * and where rows may be missing their numbers.
 */
export class JsonResults {
  constructor(
    private readonly batch: Batch,
    private readonly countyOf: CountyFinder,
  ) {}

  /** JSON text of the row last read. */
  text(rows: ResultRows): string {
    const error = rows.text('error_code');
    const source = this.sourceReader(rows);
    const id = source('id');
    return JSON.stringify({
      ...this.answer(rows, source),
      ...(id === undefined ? {} : { id }),
      ...(error === null ? {} : { error }),
      ...(mayHaveGaps(this.batch) ? { row: rows.count('row_no') } : {}),
    });
  }

  private answer(rows: ResultRows, source: (field: 'surname') => string | undefined): object {
    const found = rows.attributes;
    if (this.batch.type === 'age_gender') return ageGenderResult(found);
    if (this.batch.type === 'ethnicity') return ethnicityResult(found, source('surname') ?? '');
    return contributionResult(found, rows.place(this.countyOf));
  }

  /** Reads a field of the caller's item, which is taken apart only where one is asked for that it may have. */
  private sourceReader(rows: ResultRows): (field: 'id' | 'surname') => string | undefined {
    const { itemFormat, columns, mapping } = this.batch;
    if (itemFormat === 'csv')
      return (field) => {
        const column = mapping[field] ?? (field === 'surname' ? mapping.contributor_name : undefined);
        return column === undefined ? undefined : splitFields(rows.text('source') ?? '', ',', true)[column];
      };
    const item = jsonSource(rows.text('source'));
    return (field) => {
      const column = mapping[field];
      const value = item[columns && column !== undefined ? columns[column] : field];
      return typeof value === 'string' ? value : undefined;
    };
  }
}
