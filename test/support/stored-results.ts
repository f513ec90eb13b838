import { type Batch } from '@donorlens/batches';
import { type BatchType, type FieldMapping, OUTCOMES, type Outcome } from '@donorlens/primitives';

/** A stored result, as far as a test cares. */
export interface Row {
  source: string;
  outcome?: Outcome;
  code?: string;
  age?: number;
  gender?: string;
  race?: string;
  shares?: number[];
  fips?: string;
  income?: number;
}

/** Rows as Postgres copies them out: backslash escapes, \N for null. */
export function pageText(rows: readonly Row[]): Buffer {
  const value = (of: string | number | undefined): string =>
    of === undefined
      ? '\\N'
      : String(of).replace(
          /[\\\n\r\t]/g,
          (letter) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' })[letter]!,
        );
  const line = (row: Row, i: number): string =>
    [
      i + 1,
      OUTCOMES.indexOf(row.outcome ?? 'ok'),
      row.code,
      row.source,
      row.age,
      row.gender,
      row.race,
      ...(row.shares ?? Array.from({ length: 6 }, () => undefined)),
      row.fips,
      row.income,
    ]
      .map(value)
      .join('\t');
  return Buffer.from(rows.map((row, i) => `${line(row, i)}\n`).join(''));
}

/** A completed batch with nothing said that does not matter to its results. */
export function completed(type: BatchType, columns: string[] | null, mapping: FieldMapping = {}): Batch {
  return {
    id: 'b',
    apiKeyId: 'k',
    idempotencyKey: null,
    type,
    itemFormat: columns ? 'csv' : 'json',
    columns,
    mapping,
    minAge: null,
    state: 'completed',
    rowsTotal: 0,
    chunksTotal: 0,
    chunksDone: 0,
    tally: { ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 },
    releaseId: 'r',
    errorCode: null,
    createdAt: new Date(0),
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
  };
}

/** The one county that these tests know. */
export const county = (fips: string): string | null => (fips === '51600' ? 'Fairfax, city' : null);
export const FULL: Row = {
  source: '1,"SMITH, JOHN"',
  age: 54,
  gender: 'm',
  race: 'white',
  shares: [7090, 2311, 50, 89, 219, 10000],
  fips: '51600',
  income: 106_870,
};
