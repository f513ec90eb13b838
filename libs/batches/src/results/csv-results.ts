import { type PlaceEthnicity } from '@donorlens/demographics';
import { type BatchType, CONTRIBUTION_COLUMNS, type CountyFinder, nameDetailCells } from '@donorlens/primitives';
import { OutputBytes, csvField, csvRecord, formulaGuarded, splitFields } from '@donorlens/tabular';
import { type Batch } from '../batch';
import { OTHER_KEYS } from '../intake/item-keys';
import { jsonRecord } from './json-results';
import { NO_AREAS, RowAreas } from './result-areas';
import { COLUMN, type DetailFinder, PAGE_STATUSES, type ResultRows, SHARE_COLUMNS, mayHaveGaps } from './result-rows';

const COMMA = 44;
const QUOTE = 34;
const BLANK = 32;
const BACKSLASH = 92;
/** Bytes at the start of a field that may make it a formula; a backslash is part of an escaped tab or line break. */
const RISKY = new Uint8Array(256);
for (const letter of '=+-@\t\r\\') RISKY[letter.charCodeAt(0)] = 1;

const STATUSES = PAGE_STATUSES.map((status) => Buffer.from(status));
/** Place cells of a row without a result. */
const NO_PLACE = ','.repeat(7);

/** Appended columns, after the client's. */
export const APPENDED: Readonly<Record<BatchType, readonly string[]>> = {
  age_gender: CONTRIBUTION_COLUMNS.slice(0, 2),
  ethnicity: CONTRIBUTION_COLUMNS.slice(2, 9),
  contributions: CONTRIBUTION_COLUMNS,
};

/**
 * Writes results as CSV: the client's record as it was sent, then the appended columns. The file is always rectangular:
 * a ragged record is padded or truncated to the header here, and is complete in the batch's errors. If rows may be
 * missing, the last column is the number of the row. Text that a spreadsheet would run as a formula is guarded unless
 * `raw`; numbers stay numbers.
 */
export class CsvResults {
  private readonly columns: readonly string[];
  private readonly numbered: boolean;
  private readonly counties: CsvCounties;
  private readonly areas: RowAreas;

  constructor(
    private readonly batch: Batch,
    private readonly raw: boolean,
    countyOf: CountyFinder,
    private readonly detailOf?: DetailFinder,
    areas = NO_AREAS,
  ) {
    this.areas = new RowAreas(areas);
    this.counties = new CsvCounties(countyOf);
    this.columns = batch.columns ?? [OTHER_KEYS];
    this.numbered = mayHaveGaps(batch);
  }

  header(): string {
    const { type } = this.batch;
    const detail = this.detailOf ? this.areas.detailColumns(type) : [];
    const appended = [...APPENDED[type], ...detail, ...this.areas.columns, ...(this.numbered ? ['ROW'] : [])];
    return `${csvRecord([...this.columns, ...appended], this.raw)}\n`;
  }

  page(rows: ResultRows): Buffer {
    const out = new OutputBytes(rows.bytes.length + (rows.bytes.length >> 2) + 1024);
    while (rows.read()) {
      this.writeSource(out, rows);
      this.writeAttributes(out, rows);
      if (this.detailOf) out.text(this.detail(rows, this.detailOf));
      out.ascii(this.areas.cells(rows));
      if (this.numbered) this.copy(out, rows, COLUMN.row_no);
      out.byte(10);
    }
    return out.written;
  }

  private writeSource(out: OutputBytes, rows: ResultRows): void {
    const plain = this.batch.itemFormat === 'csv' && rows.isNull(COLUMN.error_code);
    if (plain && (this.raw || !startsRisky(rows)))
      out.unescaped(rows.bytes, rows.start(COLUMN.source), rows.end(COLUMN.source));
    else out.text(this.record(rows));
  }

  /** The client's fields, one by one. */
  private record(rows: ResultRows): string {
    const source = rows.text(COLUMN.source) ?? '';
    const fields = this.batch.itemFormat === 'csv' ? splitFields(source, ',', true) : jsonRecord(source, this.columns);
    return this.columns
      .map((_, i) => fields[i] ?? '')
      .map((field) => csvField(this.raw ? field : formulaGuarded(field)))
      .join(',');
  }

  private writeAttributes(out: OutputBytes, rows: ResultRows): void {
    const { type } = this.batch;
    const placed = this.areas.ethnicity(rows);
    if (type !== 'ethnicity') {
      this.writeAge(out, rows);
      this.copy(out, rows, COLUMN.gender);
    }
    if (placed) this.writeEstimate(out, placed);
    else if (type !== 'age_gender') {
      this.copy(out, rows, COLUMN.race);
      for (const share of SHARE_COLUMNS) {
        out.byte(COMMA);
        const hundredths = rows.integer(share);
        if (hundredths >= 0) out.percent(hundredths);
      }
    }
    if (type === 'contributions') this.writePlace(out, rows);
  }

  private writeEstimate(out: OutputBytes, { race, pctHundredths }: PlaceEthnicity): void {
    out.byte(COMMA);
    if (race !== null) out.ascii(race);
    for (let group = 0; group < SHARE_COLUMNS.length; group++) {
      out.byte(COMMA);
      if (pctHundredths) out.percent(pctHundredths[group]);
    }
  }

  /** Stored ages are copied without being read. */
  private writeAge(out: OutputBytes, rows: ResultRows): void {
    if (rows.ages === null) return this.copy(out, rows, COLUMN.age);
    out.byte(COMMA);
    const { ageYears } = rows;
    if (ageYears !== null) out.wholeNumber(ageYears);
  }

  private writePlace(out: OutputBytes, rows: ResultRows): void {
    if (!rows.isNull(COLUMN.error_code)) return out.text(NO_PLACE);
    this.copy(out, rows, COLUMN.fips);
    const county = this.counties.get(rows.integer(COLUMN.fips));
    out.byte(COMMA);
    if (county) out.plain(county.name, 0, county.name.length);
    this.copy(out, rows, COLUMN.tract);
    this.copy(out, rows, COLUMN.block);
    out.byte(COMMA);
    if (county) out.plain(county.income, 0, county.income.length);
    this.copy(out, rows, COLUMN.address_id);
    out.byte(COMMA);
    const status = STATUSES[rows.integer(COLUMN.status)];
    out.plain(status, 0, status.length);
  }

  private detail(rows: ResultRows, detailOf: DetailFinder): string {
    return nameDetailCells(this.areas.detailColumns(this.batch.type), rows.detail(detailOf));
  }

  private copy(out: OutputBytes, rows: ResultRows, column: number): void {
    out.byte(COMMA);
    if (!rows.isNull(column)) out.plain(rows.bytes, rows.start(column), rows.end(column));
  }
}

/** Whether a field of the source begins like a formula after a quote and blanks. Some of these are numbers. */
function startsRisky(rows: ResultRows): boolean {
  const { bytes } = rows;
  const end = rows.end(COLUMN.source);
  let at = rows.start(COLUMN.source);
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

/** A county as CSV fields. */
interface CsvCounty {
  readonly name: Buffer;
  readonly income: Buffer;
}

/** Counties as bytes, each encoded once: results contain few of them, and each often. */
class CsvCounties {
  private readonly encoded = new Map<number, CsvCounty | null>();

  constructor(private readonly countyOf: CountyFinder) {}

  /** @param code - FIPS code as a number; -1 if the row has none. @returns null if the county is unknown */
  get(code: number): CsvCounty | null {
    const known = this.encoded.get(code);
    if (known !== undefined) return known;
    const county = this.countyOf(String(code).padStart(5, '0'));
    const made = county && {
      name: Buffer.from(csvField(county.name)),
      income: Buffer.from(county.medianHouseholdIncome?.toString() ?? ''),
    };
    this.encoded.set(code, made);
    return made;
  }
}
