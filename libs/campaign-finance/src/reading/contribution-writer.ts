import { type AreaTable, emptyPlaceEthnicity, placeEthnicity, tractIncome } from '@donorlens/demographics';
import { domesticZip } from '@donorlens/locations';
import { type CountyFinder, type NameDetailColumn, type ZipCountyFinder, nameDetailCells } from '@donorlens/primitives';
import { CELL, type Cell, csvField, formulaGuarded } from '@donorlens/tabular';
import { COUNT_REASONS } from '../counting';
import { type PlacedNames, nameColumns, placeCodes, storedNames } from './contribution-areas';
import { type RowDetail, PENDING, PENDING_STATUS, SKIPPED_STATUS, STATUSES } from './contribution-copy.store';

const TAB = 9;
const LF = 10;
const SEPARATOR = 28;
const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const LETTER_T = 116;

/** Number of record cells that are written; a row of a filing has more cells after them. */
const CELLS = 21;
const SHARES = 6;
/** Bytes reserved for the cells of a row outside its record: 64 per cell, plus separators. */
const RESERVED_BYTES = 2048;

/** How a cell is written: the highest value among its bytes decides. */
const PLAIN = 0;
const QUOTED = 1;
const REWRITTEN = 2;
const END = 3;
const TREATMENT = new Uint8Array(256);
TREATMENT[COMMA] = QUOTED;
TREATMENT[QUOTE] = REWRITTEN;
TREATMENT[92] = REWRITTEN; // COPY writes a backslash as two; every COPY escape starts with one
for (const end of [TAB, LF, SEPARATOR]) TREATMENT[end] = END;

/** First bytes of a cell that a spreadsheet may run as a formula, including blanks before the formula. */
const RISKY = new Uint8Array(256);
for (const letter of ' =+-@\\') RISKY[letter.charCodeAt(0)] = 1;

export interface WriterOptions {
  /** Leaves out the guard before text that a spreadsheet would run as a formula. */
  readonly raw: boolean;
  /** County names and incomes of one data release. */
  readonly countyOf: CountyFinder;
  /** Counties of rows without an address. */
  readonly zipCountyOf: ZipCountyFinder;
  /** Adds the detail columns of `addedColumns`; rows of the COPY text then end with day and donor key. */
  readonly detail: false | RowDetail;
  /** Writes ethnicity by surname and place instead of the stored ethnicity by surname. */
  readonly placed?: PlacedNames | null;
  /** Adds the median income of the tract. */
  readonly tractIncomes?: AreaTable | null;
  /** Id of the data release by its number in the rows; empty if it is unknown. */
  readonly releaseId: (no: number) => string;
}

/** Cells and commas of a county, before and after tract and block. */
interface CountyCells {
  readonly before: Buffer;
  readonly afterTract: Buffer;
}

/** Empty cells from FIPS to ADDRESS_ID. */
const EMPTY_PLACE = ','.repeat(6);
/** Cells of the record by which enrichment looks up names. */
const FOR_NAMES = [CELL.NAME, CELL.ENTITY_TP, CELL.TRANSACTION_DT];
const COPY_COUNTS = [false, false, 'earmark_copy'];

/**
 * Converts COPY text of contributions to CSV, from bytes to bytes: cells of a record stay as filed, and cells with a
 * comma or a quote are quoted. A string is made only for the few cells that are rewritten.
 */
export class ContributionWriter {
  /** Rows read so far. */
  rows = 0;
  private out = Buffer.allocUnsafe(64 * 1024);
  private at = 0;
  private next = 0;
  private rest: Buffer = Buffer.alloc(0);
  /** Start and end (exclusive) of each cell in the piece. */
  private readonly cellStarts = new Int32Array(CELLS);
  private readonly cellEnds = new Int32Array(CELLS);
  private readonly estimate = emptyPlaceEthnicity();
  private readonly nameColumns: readonly NameDetailColumn[];
  private donor = { key: '', id: '' };
  /** FIPS_SOURCE and FIPS_SHARE of the row. */
  private source = '';
  private readonly counties = new Map<string, CountyCells>();
  private readonly ends = new Map<number, Buffer>();

  constructor(private readonly options: WriterOptions) {
    this.nameColumns = nameColumns(options);
  }

  /**
   * Converts the rows that this piece completes.
   * @param prefixes - first cells of each line with their commas; a row has one line per prefix
   */
  write(piece: Buffer, [prefix, ...others]: readonly Buffer[]): Buffer {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, piece]) : piece;
    const end = bytes.lastIndexOf(LF) + 1;
    this.rest = bytes.subarray(end);
    this.out = Buffer.allocUnsafe(end + (end >> 1) + 2 * RESERVED_BYTES);
    this.at = 0;
    this.next = 0;
    while (this.next < end) {
      this.reserve(2 * (bytes.indexOf(LF, this.next) - this.next) + RESERVED_BYTES);
      const start = this.at;
      this.at += prefix.copy(this.out, this.at);
      this.record(bytes);
      for (let column = 0; column < 2; column++) this.copyToTab(bytes);
      if (this.options.placed) this.writeEstimate(bytes, this.options.placed);
      else {
        this.copyToTab(bytes);
        for (let share = 0; share < SHARES; share++) this.share(bytes);
      }
      const income = this.tractIncome(bytes);
      this.end(bytes, this.place(bytes), income);
      for (const other of others) this.repeat(start + prefix.length, this.at, other);
      this.rows++;
    }
    return this.out.subarray(0, this.at);
  }

  private repeat(start: number, end: number, prefix: Buffer): void {
    this.reserve(prefix.length + end - start);
    this.at += prefix.copy(this.out, this.at);
    this.at += this.out.copy(this.out, this.at, start, end);
  }

  /** Writes the cells of the record, which byte 28 separates, up to the first tab. */
  private record(bytes: Buffer): void {
    for (let cell = 0; cell < CELLS; cell++) {
      if (cell > 0) this.out[this.at++] = COMMA;
      const from = this.next;
      this.cell(bytes);
      this.cellStarts[cell] = from;
      this.cellEnds[cell] = this.next;
      if (bytes[this.next] === SEPARATOR && cell < CELLS - 1) this.next++;
    }
    while (bytes[this.next] !== TAB) this.next++;
    this.next++;
  }

  private cell(bytes: Buffer): void {
    const { out } = this;
    const start = this.next;
    let from = start;
    let to = this.at;
    let treatment = RISKY[bytes[start]] === 1 && !this.options.raw ? REWRITTEN : PLAIN;
    for (let next = TREATMENT[bytes[from]]; next !== END; next = TREATMENT[bytes[from]]) {
      if (next > treatment) treatment = next;
      out[to++] = bytes[from++];
    }
    this.next = from;
    if (treatment === PLAIN) this.at = to;
    else if (treatment === QUOTED) this.writeQuoted(bytes, start, from);
    else this.writeGuarded(bytes.toString('utf8', start, from));
  }

  /** Text of a cell with the escapes of COPY. */
  private cellText(bytes: Buffer, cell: Cell): string {
    return bytes.toString('utf8', this.cellStarts[cell], this.cellEnds[cell]);
  }

  private writeQuoted(bytes: Buffer, start: number, end: number): void {
    const { out } = this;
    let { at } = this;
    out[at++] = QUOTE;
    for (let from = start; from < end; from++) out[at++] = bytes[from];
    out[at++] = QUOTE;
    this.at = at;
  }

  private writeGuarded(escaped: string): void {
    const text = escaped.replaceAll('\\\\', '\\'); // a record holds no other character that COPY escapes
    this.text(csvField(this.options.raw ? text : formulaGuarded(text)));
  }

  /** Copies a cell that enrichment added, unchanged. */
  private copyToTab(bytes: Buffer): void {
    this.out[this.at++] = COMMA;
    for (let byte = bytes[this.next++]; byte !== TAB; byte = bytes[this.next++]) this.out[this.at++] = byte;
  }

  /** Writes hundredths of a percent without trailing zeros: 9650 becomes 96.5. */
  private share(bytes: Buffer): void {
    this.out[this.at++] = COMMA;
    if (bytes[this.next] === TAB) this.next++;
    else this.percent(this.number(bytes));
  }

  private percent(hundredths: number): void {
    const whole = Math.trunc(hundredths / 100);
    const rest = hundredths - 100 * whole;
    if (whole >= 100) this.out[this.at++] = ZERO + Math.trunc(whole / 100);
    if (whole >= 10) this.out[this.at++] = ZERO + (Math.trunc(whole / 10) % 10);
    this.out[this.at++] = ZERO + (whole % 10);
    if (rest === 0) return;
    this.out[this.at++] = POINT;
    this.out[this.at++] = ZERO + Math.trunc(rest / 10);
    if (rest % 10 > 0) this.out[this.at++] = ZERO + (rest % 10);
  }

  /**
   * Writes the cells from FIPS to ADDRESS_ID, which are empty if the row has no location.
   * @returns number of the status in STATUSES
   */
  private place(bytes: Buffer): number {
    const first = bytes[this.next++];
    this.source = ',';
    if (first === TAB) {
      this.placeByZip(bytes);
      return SKIPPED_STATUS;
    }
    this.next++; // skips the separator after P or the outcome
    if (first === PENDING) {
      this.ascii(EMPTY_PLACE);
      return PENDING_STATUS;
    }
    if (bytes[this.next] !== COMMA) this.source = 'address,';
    const county = this.county(bytes);
    this.at += county.before.copy(this.out, this.at);
    this.part(bytes, COMMA);
    this.out[this.at++] = COMMA;
    this.part(bytes, COMMA);
    this.at += county.afterTract.copy(this.out, this.at);
    this.part(bytes, TAB);
    return first - ZERO;
  }

  /** Writes the cells from FIPS to ADDRESS_ID of a row without an address. */
  private placeByZip(bytes: Buffer): void {
    const zip = this.domesticZip(bytes);
    const found = zip === '' ? null : this.options.zipCountyOf(zip);
    if (found === null) return this.ascii(EMPTY_PLACE);
    this.source = `zip,${found.sharePct}`;
    const { before, afterTract } = this.cellsBy(found.county.fips);
    this.at += before.copy(this.out, this.at);
    this.out[this.at++] = COMMA;
    this.at += afterTract.copy(this.out, this.at);
  }

  private domesticZip(bytes: Buffer): string {
    const zip = this.cellText(bytes, CELL.ZIP_CODE);
    return zip === '' ? '' : domesticZip(this.cellText(bytes, CELL.STATE), zip);
  }

  /** Writes ETHNICITY and PCT_* by surname and place. It reads the place ahead, without skipping it. */
  private writeEstimate(bytes: Buffer, placed: PlacedNames): void {
    const [race, ...shares] = Array.from({ length: 1 + SHARES }, () => this.takeField(bytes));
    const [name, entityType, date] = FOR_NAMES.map((cell) => this.filedText(bytes, cell));
    const pctHundredths = shares[0] === '' ? null : shares.map(Number);
    const names = storedNames(placed, { race, pctHundredths }, name, entityType, date);
    const zip = this.domesticZip(bytes);
    const address = this.peekField(bytes);
    const { fips, tract } = placeCodes(address);
    const byZip = address === '' && zip !== '' ? this.options.zipCountyOf(zip) : null;
    const place = { fips: fips ?? byZip?.county.fips ?? null, tract, zip };
    const found = placeEthnicity(names, place, placed.geography, this.estimate);
    this.ascii(`,${found.race ?? ''}`);
    for (let share = 0; share < SHARES; share++) {
      this.out[this.at++] = COMMA;
      if (found.pctHundredths) this.percent(found.pctHundredths[share]);
    }
  }

  private tractIncome(bytes: Buffer): number | null {
    const { tractIncomes } = this.options;
    return tractIncomes ? tractIncome(tractIncomes, placeCodes(this.peekField(bytes))) : null;
  }

  /** Returns a column and skips its tab. */
  private takeField(bytes: Buffer): string {
    const text = this.peekField(bytes);
    this.next += text.length + 1;
    return text;
  }

  private peekField(bytes: Buffer): string {
    return bytes.toString('latin1', this.next, bytes.indexOf(TAB, this.next));
  }

  private county(bytes: Buffer): CountyCells {
    const start = this.next;
    while (bytes[this.next] !== COMMA) this.next++;
    return this.cellsBy(bytes.toString('latin1', start, this.next++));
  }

  private cellsBy(fips: string): CountyCells {
    let cells = this.counties.get(fips);
    if (cells === undefined) {
      cells = this.cellsOf(fips);
      this.counties.set(fips, cells);
    }
    this.reserve(cells.before.length + RESERVED_BYTES);
    return cells;
  }

  private cellsOf(fips: string): CountyCells {
    const county = fips === '' ? null : this.options.countyOf(fips);
    return {
      before: Buffer.from(`,${fips},${csvField(county?.name ?? '')},`),
      afterTract: Buffer.from(`,${county?.medianHouseholdIncome ?? ''},`),
    };
  }

  /** Copies a part of a place and skips the separator after it. */
  private part(bytes: Buffer, end: number): void {
    for (let byte = bytes[this.next++]; byte !== end; byte = bytes[this.next++]) this.out[this.at++] = byte;
  }

  /** Writes the cells from GEOCODE_STATUS to the end of the row. They are cached: a file has few different endings. */
  private end(bytes: Buffer, status: number, income: number | null): void {
    const flags = [bytes[this.next], bytes[this.next + 2], bytes[this.next + 4]];
    this.next += 6;
    const reason = this.number(bytes);
    const release = this.number(bytes);
    let key = (release * 256 + reason) * STATUSES.length + status;
    for (const flag of flags) key = 2 * key + (flag === LETTER_T ? 1 : 0);
    let end = this.ends.get(key);
    if (end === undefined) {
      const [money, donor, isCopy] = flags.map((flag) => flag === LETTER_T);
      end = this.endOf(status, isCopy ? COPY_COUNTS : [money, donor, COUNT_REASONS[reason] ?? ''], release);
      this.ends.set(key, end);
    }
    this.reserve(end.length + RESERVED_BYTES);
    this.at += end.copy(this.out, this.at);
    if (this.options.detail) this.detail(bytes, this.options.detail, this.options.releaseId(release));
    const { ethnicityBasis, isSurnameListed } = this.estimate;
    if (this.options.placed) this.ascii(`,${ethnicityBasis ?? ''},${isSurnameListed ?? ''}`);
    if (this.options.tractIncomes) this.ascii(`,${income ?? ''}`);
    this.out[this.at++] = LF;
  }

  /** A cell as filed: COPY doubles each backslash. */
  private filedText(bytes: Buffer, cell: Cell): string {
    return this.cellText(bytes, cell).replaceAll('\\\\', '\\').trim();
  }

  private detail(bytes: Buffer, detail: RowDetail, releaseId: string): void {
    const on = this.number(bytes) || null; // empty is read as 0; no contribution has day 0, January 1, 1970
    const donorId = this.donorId(bytes, detail);
    const filed = { name: this.filedText(bytes, CELL.NAME), entityType: this.filedText(bytes, CELL.ENTITY_TP), on };
    const names = nameDetailCells(this.nameColumns, detail.nameDetailOf(filed, releaseId));
    this.ascii(`,${this.source},${donorId}${names}`);
  }

  /** Rows of one donor are adjacent, so the last id is cached. A row without a donor has no id. */
  private donorId(bytes: Buffer, { donorIdOf }: RowDetail): string {
    const end = bytes.indexOf(LF, this.next);
    const key = bytes.toString('latin1', this.next, end);
    this.next = end + 1;
    if (key !== this.donor.key) this.donor = { key, id: key === '0' ? '' : donorIdOf(key) };
    return this.donor.id;
  }

  private endOf(status: number, counts: readonly (boolean | string)[], release: number): Buffer {
    const fields = [STATUSES[status], ...counts, csvField(this.options.releaseId(release))];
    return Buffer.from(`,${fields.join(',')}`);
  }

  /** Reads an integer and skips the tab or line feed after it. */
  private number(bytes: Buffer): number {
    let value = 0;
    for (let byte = bytes[this.next++]; byte !== TAB && byte !== LF; byte = bytes[this.next++])
      value = 10 * value + byte - ZERO;
    return value;
  }

  /** Writes a short Latin-1 text, which fits the reserved bytes. */
  private ascii(text: string): void {
    this.at += this.out.write(text, this.at, 'latin1');
  }

  private text(text: string): void {
    this.reserve(3 * text.length + RESERVED_BYTES);
    this.at += this.out.write(text, this.at);
  }

  private reserve(count: number): void {
    if (this.at + count <= this.out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.out.length, this.at + count));
    this.out.copy(larger, 0, 0, this.at);
    this.out = larger;
  }
}
