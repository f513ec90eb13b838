import { type GroupBasis, PCT_COLUMNS, type Quartiles } from '@donorlens/demographics';
import {
  type Attributes,
  type BatchType,
  type CivilDay,
  type CountyFinder,
  GEOCODE_OUTCOMES,
  type GeocodeStatus,
  ITEM_ERRORS,
  type ItemErrorCode,
  NAME_DETAIL_COLUMNS,
  NO_PLACE,
  type NameDetail,
  type NameDetailColumn,
  type Place,
  placeOf,
} from '@donorlens/primitives';
import { type Batch } from '../batch';

/** Geocode statuses by their index in a page: outcomes as they are stored, then rows without one. */
export const PAGE_STATUSES: readonly GeocodeStatus[] = [...GEOCODE_OUTCOMES, 'SKIPPED', 'PENDING'];

/** Columns of a row that are stored as they are read. */
export const STORED_COLUMNS = [
  'row_no',
  'outcome',
  'error_code',
  'source',
  'age',
  'gender',
  'race',
  'pct_white',
  'pct_black',
  'pct_api',
  'pct_aian',
  'pct_2prace',
  'pct_hispanic',
] as const;
/** Columns of the table `result`, in the order of workers' COPY text. */
export const RESULT_COLUMNS = [
  'batch_id',
  ...STORED_COLUMNS,
  ...['fips', 'hh_income_median', 'address_key', 'first_name', 'given_day'],
] as const;
export const PLACE_COLUMNS = ['fips', 'tract', 'block', 'address_id', 'status'] as const;

/** Null unless the batch takes its ages from a distribution. */
export const NAME_COLUMNS = ['first_name', 'given_day'] as const;

/** Columns of a page, in the order in which `ResultRows` reads them. */
const PAGE_COLUMNS = [...STORED_COLUMNS, ...PLACE_COLUMNS, ...NAME_COLUMNS] as const;

/** Ages by position of the first name and day, of a batch that takes them from a distribution. */
export interface RowAges {
  readonly basis: GroupBasis;
  ageAt(name: number, on: CivilDay): number | null;
  quartiles(name: number, on: CivilDay): Quartiles;
}

const NO_QUARTILES: Quartiles = { median: null, q25: null, q75: null };
const TAB = 9;
const LF = 10;
const BACKSLASH = 92;
const MINUS = 45;

/** Position of each column of a page. Readers take a position, as a lookup by name would take most of their time. */
export const COLUMN = Object.fromEntries(PAGE_COLUMNS.map((column, index) => [column, index])) as Readonly<
  Record<(typeof PAGE_COLUMNS)[number], number>
>;
/** Columns of the surname's shares, in the order of PCT_COLUMNS. */
export const SHARE_COLUMNS = PCT_COLUMNS.map((group) => COLUMN[`pct_${group}`]);

const OF_ESCAPE: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\(.)/g, (_, letter: string) => OF_ESCAPE[letter] ?? letter) : text;

const unescapedBytes = (value: Buffer): Buffer =>
  value.includes(BACKSLASH) ? Buffer.from(unescaped(value.toString())) : value;

/** The values of a page of one column. */
export function* valuesOf(page: Buffer): Generator<Buffer, void> {
  for (let from = 0; from < page.length;) {
    const to = page.indexOf(LF, from);
    yield unescapedBytes(page.subarray(from, to));
    from = to + 1;
  }
}

/**
 * Iterates over the rows of a page: lines of COPY text, split into byte ranges. A value is decoded only when read.
 * Columns are given by their position, as in COLUMN.
 */
export class ResultRows {
  private next = 0;
  private readonly starts = new Int32Array(PAGE_COLUMNS.length + 1);

  /** @param ages - null to use the stored ones */
  constructor(
    readonly bytes: Buffer,
    readonly ages: RowAges | null = null,
  ) {}

  /** False at the end of the page. */
  read(): boolean {
    const { bytes, starts } = this;
    if (this.next >= bytes.length) return false;
    let at = this.next;
    let column = 0;
    starts[column++] = at;
    for (; bytes[at] !== LF; at++) if (bytes[at] === TAB) starts[column++] = at + 1;
    starts[column] = at + 1;
    this.next = at + 1;
    return true;
  }

  start(column: number): number {
    return this.starts[column];
  }

  end(column: number): number {
    return this.starts[column + 1] - 1;
  }

  isNull(column: number): boolean {
    const start = this.start(column);
    return this.bytes[start] === BACKSLASH && this.bytes[start + 1] === 78;
  }

  text(column: number): string | null {
    if (this.isNull(column)) return null;
    return unescaped(this.bytes.toString('utf8', this.start(column), this.end(column)));
  }

  /** The item as it was sent; empty if it is not stored. */
  get source(): Buffer {
    const start = this.start(COLUMN.source);
    return unescapedBytes(this.bytes.subarray(start, this.isNull(COLUMN.source) ? start : this.end(COLUMN.source)));
  }

  /** A whole number, 0 or more; -1 for null. */
  integer(column: number): number {
    return this.isNull(column) ? -1 : this.digits(this.start(column), this.end(column));
  }

  private digits(from: number, to: number): number {
    let value = 0;
    for (let at = from; at < to; at++) value = value * 10 + this.bytes[at] - 48;
    return value;
  }

  integerOrNull(column: number): number | null {
    const value = this.integer(column);
    return value < 0 ? null : value;
  }

  get ageYears(): number | null {
    const { ages, day } = this;
    if (ages === null) return this.integerOrNull(COLUMN.age);
    return day === null ? null : ages.ageAt(this.integer(COLUMN.first_name), day);
  }

  /** Detail of the row; null if it has no result or its source is not read. */
  detail(detailOf: DetailFinder): NameDetail | null {
    const detail = this.isNull(COLUMN.error_code) ? detailOf(this.text(COLUMN.source) ?? '') : null;
    const { ages, day } = this;
    if (detail === null || ages === null) return detail;
    const { median, q25, q75 } = day === null ? NO_QUARTILES : ages.quartiles(this.integer(COLUMN.first_name), day);
    return { ...detail, age_q25: q25, age_q75: q75, age_basis: median === null ? null : ages.basis };
  }

  private get day(): CivilDay | null {
    if (this.isNull(COLUMN.given_day)) return null;
    const [start, end] = [this.start(COLUMN.given_day), this.end(COLUMN.given_day)];
    return this.bytes[start] === MINUS ? -this.digits(start + 1, end) : this.digits(start, end);
  }

  /** Outcome of its address; null if the row has no result: it is invalid or failed. */
  get status(): GeocodeStatus | null {
    return this.isNull(COLUMN.error_code) ? PAGE_STATUSES[this.integer(COLUMN.status)] : null;
  }

  place(countyOf: CountyFinder): Place {
    const { status } = this;
    if (status === null) return NO_PLACE;
    const fips = this.text(COLUMN.fips); // of the location or of the row
    if (status === 'SKIPPED' || status === 'PENDING') return placeOf(status, { ...NO_PLACE, fips }, countyOf);
    const [tract, block, addressId] = [this.text(COLUMN.tract), this.text(COLUMN.block), this.text(COLUMN.address_id)];
    return placeOf({ outcome: status, fips, tract, block, addressId }, NO_PLACE, countyOf);
  }

  get attributes(): Attributes {
    return {
      ageYears: this.ageYears,
      gender: this.text(COLUMN.gender),
      race: this.text(COLUMN.race),
      pctHundredths: this.isNull(COLUMN.pct_white) ? null : SHARE_COLUMNS.map((column) => this.integer(column)),
    };
  }
}

/** Columns that detail adds. */
export const APPENDED_DETAIL: Readonly<Record<BatchType, readonly NameDetailColumn[]>> = {
  age_gender: ['AGE_Q25', 'AGE_Q75', 'GENDER_PROB', 'FEMALE_SHARE_LIVING', 'FIRST_NAME_KEY', 'NAME_KIND', 'AGE_BASIS'],
  ethnicity: ['SURNAME_KEY', 'NAME_KIND', 'ETHNICITY_BASIS'],
  contributions: NAME_DETAIL_COLUMNS,
};

/** Detail of a row by its stored source; null if the source is not read. */
export type DetailFinder = (source: string) => NameDetail | null;

/** True if rows may be missing: results then contain the number of each row. */
export const mayHaveGaps = ({ state }: Batch): boolean => state !== 'completed';

export const messageOf = (code: string): string => ITEM_ERRORS[code as ItemErrorCode] ?? code;
