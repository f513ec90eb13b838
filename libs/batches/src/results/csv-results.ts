import {
  type BatchType,
  CONTRIBUTION_COLUMNS,
  type CountyFinder,
  csvField,
  csvRecord,
  formulaGuarded,
} from '@donorlens/primitives';
import { type Batch } from '../batch';
import { mayHaveGaps } from './row-gaps';
import { splitFields } from '../intake/split-fields';
import { OTHER_KEYS } from '../intake/json-items';
import { CsvCounties } from './csv-counties';
import { jsonRecord } from './json-source';
import { OutputBytes } from './output-bytes';
import { PAGE_STATUSES } from './page-columns';
import { type PageColumn, type ResultRows } from './result-rows';

const COMMA = 44;
const QUOTE = 34;
const BLANK = 32;
const BACKSLASH = 92;
/** Bytes at the start of a field that may make it a formula; a backslash stands for an escaped tab or line break. */
const RISKY = new Uint8Array(256);
for (const letter of '=+-@\t\r\\') RISKY[letter.charCodeAt(0)] = 1;

const SHARES = ['pct_white', 'pct_black', 'pct_api', 'pct_aian', 'pct_2prace', 'pct_hispanic'] as const;

const STATUSES = PAGE_STATUSES.map((status) => Buffer.from(status));
/** Of a row that could not be read. */
const NO_PLACE = ','.repeat(7);

/** Our columns, after the caller's. */
export const APPENDED: Readonly<Record<BatchType, readonly string[]>> = {
  age_gender: CONTRIBUTION_COLUMNS.slice(0, 2),
  ethnicity: CONTRIBUTION_COLUMNS.slice(2, 9),
  contributions: CONTRIBUTION_COLUMNS,
};

/**
 * Writes results as CSV: the caller's record as it was sent, then our columns. Rectangular whatever came in: a ragged
 * record is filled up or shortened to the header here, and stands in full in the batch's errors.
 * Where rows may be missing, the last column is the number of the row.
 * Text that a spreadsheet would run is guarded unless `raw`; numbers stay numbers.
 */
export class CsvResults {
  private readonly columns: readonly string[];
  private readonly numbered: boolean;
  private readonly counties: CsvCounties;

  constructor(
    private readonly batch: Batch,
    private readonly raw: boolean,
    countyOf: CountyFinder,
  ) {
    this.counties = new CsvCounties(countyOf);
    this.columns = batch.columns ?? [OTHER_KEYS];
    this.numbered = mayHaveGaps(batch);
  }

  header(): string {
    const appended = [...APPENDED[this.batch.type], ...(this.numbered ? ['ROW'] : [])];
    return `${csvRecord([...this.columns, ...appended], this.raw)}\n`;
  }

  page(rows: ResultRows): Buffer {
    const out = new OutputBytes(rows.bytes.length + (rows.bytes.length >> 2) + 1024);
    while (rows.read()) {
      this.writeSource(out, rows);
      this.writeAttributes(out, rows);
      if (this.numbered) this.copy(out, rows, 'row_no');
      out.byte(10);
    }
    return out.written;
  }

  private writeSource(out: OutputBytes, rows: ResultRows): void {
    const plain = this.batch.itemFormat === 'csv' && rows.isNull('error_code');
    if (plain && (this.raw || !startsRisky(rows))) out.unescaped(rows.bytes, rows.start('source'), rows.end('source'));
    else out.text(this.record(rows));
  }

  /** The caller's fields, one by one. */
  private record(rows: ResultRows): string {
    const source = rows.text('source') ?? '';
    const fields = this.batch.itemFormat === 'csv' ? splitFields(source, ',', true) : jsonRecord(source, this.columns);
    return this.columns
      .map((_, i) => fields[i] ?? '')
      .map((field) => csvField(this.raw ? field : formulaGuarded(field)))
      .join(',');
  }

  private writeAttributes(out: OutputBytes, rows: ResultRows): void {
    const { type } = this.batch;
    if (type !== 'ethnicity') {
      this.copy(out, rows, 'age');
      this.copy(out, rows, 'gender');
    }
    if (type !== 'age_gender') {
      this.copy(out, rows, 'race');
      for (const share of SHARES) {
        out.byte(COMMA);
        const hundredths = rows.count(share);
        if (hundredths >= 0) out.percent(hundredths);
      }
    }
    if (type === 'contributions') this.writePlace(out, rows);
  }

  private writePlace(out: OutputBytes, rows: ResultRows): void {
    if (!rows.isNull('error_code')) return out.text(NO_PLACE);
    this.copy(out, rows, 'fips');
    const county = this.counties.get(rows.count('fips'));
    out.byte(COMMA);
    if (county) out.plain(county.name, 0, county.name.length);
    this.copy(out, rows, 'tract');
    this.copy(out, rows, 'block');
    out.byte(COMMA);
    if (county) out.plain(county.income, 0, county.income.length);
    this.copy(out, rows, 'address_id');
    out.byte(COMMA);
    const status = STATUSES[rows.count('status')];
    out.plain(status, 0, status.length);
  }

  private copy(out: OutputBytes, rows: ResultRows, column: PageColumn): void {
    out.byte(COMMA);
    if (!rows.isNull(column)) out.plain(rows.bytes, rows.start(column), rows.end(column));
  }
}

/** Whether some field of the source begins, behind a quote and blanks, like a formula. Some of these are just numbers. */
function startsRisky(rows: ResultRows): boolean {
  const { bytes } = rows;
  const end = rows.end('source');
  let at = rows.start('source');
  while (at < end) {
    const quoted = bytes[at] === QUOTE;
    if (quoted) at++;
    while (bytes[at] === BLANK && at < end) at++;
    if (at < end && RISKY[bytes[at]] === 1) return true;
    if (quoted) at = closingQuote(bytes, at, end);
    while (at < end && bytes[at] !== COMMA) at++;
    at++;
  }
  return false;
}

function closingQuote(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) {
      if (bytes[at + 1] !== QUOTE) return at + 1;
      at++;
    }
  }
  return end;
}
