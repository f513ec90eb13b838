import { type Batch } from '@donorlens/batches';
import {
  type BatchType,
  type CountyFinder,
  type FieldMapping,
  GEOCODE_OUTCOMES,
  type GeocodeStatus,
  OUTCOMES,
  type Outcome,
} from '@donorlens/primitives';

/** The fields of a stored result that tests set. */
export interface Row {
  source: string;
  outcome?: Outcome;
  code?: string;
  age?: number;
  gender?: string;
  race?: string;
  shares?: number[];
  /** Position of the first name, and day of the age. */
  name?: readonly [name: number, day: number];
  fips?: string;
  tract?: string;
  block?: string;
  addressId?: string;
  /** Default: SKIPPED. */
  status?: GeocodeStatus;
}

/** In the order of the numbers on result pages. */
const STATUSES: readonly GeocodeStatus[] = [...GEOCODE_OUTCOMES, 'SKIPPED', 'PENDING'];

/** Rows in the COPY format of Postgres: backslash escapes, \N for null. */
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
      row.tract,
      row.block,
      row.addressId,
      STATUSES.indexOf(row.status ?? 'SKIPPED'),
      ...(row.name ?? [undefined, undefined]),
    ]
      .map(value)
      .join('\t');
  return Buffer.from(rows.map((row, i) => `${line(row, i)}\n`).join(''));
}

/** A completed batch with default values for everything that does not affect its results. */
export function completed(type: BatchType, columns: string[] | null, mapping: FieldMapping = {}): Batch {
  return {
    id: 'b',
    apiKeyId: 'k',
    idempotencyKey: null,
    name: null,
    type,
    itemFormat: columns ? 'csv' : 'json',
    columns,
    mapping,
    minAge: null,
    ageBasis: 'name',
    ethnicityBasis: 'surname',
    state: 'completed',
    rowsTotal: 0,
    chunksTotal: 0,
    chunksDone: 0,
    counts: { ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 },
    addresses: { match: 0, noMatch: 0, tie: 0, skipped: 0, pending: 0 },
    releaseId: 'r',
    errorCode: null,
    createdAt: new Date(0),
    startedAt: null,
    enrichedAt: null,
    geocodedAt: null,
    finishedAt: null,
    expiresAt: null,
  };
}

/** The counties that these tests know; one has no income. */
export const county: CountyFinder = (fips) =>
  ({
    '51600': { name: 'Fairfax, city', medianHouseholdIncome: 106_870 },
    '06037': { name: 'Los Angeles', medianHouseholdIncome: 67_986 },
    '15005': { name: 'Kalawao', medianHouseholdIncome: null },
  })[fips] ?? null;

export const FULL: Row = {
  source: '1,"SMITH, JOHN"',
  age: 54,
  gender: 'm',
  race: 'white',
  shares: [7090, 2311, 50, 89, 219, 10000],
  fips: '51600',
  tract: '300100',
  block: '2004',
  addressId: '00112233445566778899aabbccddeeff',
  status: 'MATCH',
};
