import { parse } from 'csv-parse/sync';
import * as xlsx from '@e965/xlsx';
import { LayoutError, forEachLine } from '../reference-data-error';

/** A county row of the SAIPE file. */
export interface CountyIncome {
  readonly fips: string;
  readonly name: string;
  readonly stateUsps: string;
  /** Dollars a year; null if the file has no estimate (`.`). */
  readonly medianHouseholdIncome: number | null;
}

export interface IncomeFile {
  readonly counties: readonly CountyIncome[];
  readonly states: number;
  /** the row of the whole country */
  readonly usMedian: number | null;
}

/** One row: state and county code, postal code, name, median household income, as text. */
type Row = readonly [state: string, county: string, usps: string, name: string, income: string];

const LEADING = ['State FIPS Code', 'County FIPS Code', 'Postal Code', 'Name'];
const INCOME = 'Median Household Income';
const INCOME_COLUMN = 22;
const COLUMNS = 31;
const [MIN_INCOME, MAX_INCOME] = [5_000, 1_000_000];

/**
 * Reads SAIPE `est18all` in any of its forms: `.xls` (the sheet), `.txt` (fixed width), `.csv` (the sheet as text).
 * Codes stay text; county 000 is the state's row, state 00 the country's.
 * @param file - its extension determines the format
 * @throws LayoutError
 */
export function readCountyIncome(file: string, bytes: Buffer): IncomeFile {
  const rows = file.endsWith('.txt')
    ? fixedWidthRows(file, bytes)
    : file.endsWith('.csv')
      ? sheetRows(file, csvCells(file, bytes))
      : sheetRows(file, xlsCells(file, bytes));
  const counties = new Map<string, CountyIncome>();
  const states = new Set<string>();
  let usMedian: number | null | undefined;
  for (const [row, line] of rows) {
    const [state, county, stateUsps, name] = row;
    if (!/^\d{2}$/.test(state) || !/^\d{3}$/.test(county))
      throw new LayoutError(file, line, 'state and county are not codes of two and three digits');
    if (!/^[A-Z]{2}$/.test(stateUsps) || name === '')
      throw new LayoutError(file, line, 'postal code or name is missing');
    const income = incomeOf(file, line, row[4]);
    const fips = state + county;
    if (counties.has(fips) || (county === '000' && states.has(state)))
      throw new LayoutError(file, line, `${fips} is listed twice`);
    if (state === '00') usMedian = income;
    else if (county === '000') states.add(state);
    else counties.set(fips, { fips, name, stateUsps, medianHouseholdIncome: income });
  }
  if (usMedian === undefined || counties.size === 0)
    throw new LayoutError(file, null, 'has no row for the country, or no county');
  return { counties: [...counties.values()], states: states.size, usMedian };
}

function incomeOf(file: string, line: number, text: string): number | null {
  if (text === '.') return null;
  const income = /^\d{4,7}$/.test(text) ? Number(text) : NaN;
  if (!(income >= MIN_INCOME && income <= MAX_INCOME))
    throw new LayoutError(file, line, `${INCOME} is neither dollars nor "."`);
  return income;
}

/**
 * Positions (0-based, end excluded) in the text form, from the record layout that the publisher gives beside the file:
 * state 1-2, county 4-6, median household income 134-139, name 194-238, postal code 240-241.
 */
const FIELDS = { state: [0, 2], county: [3, 6], income: [133, 139], name: [193, 238], usps: [239, 241] } as const;

function fixedWidthRows(file: string, bytes: Buffer): [Row, number][] {
  const rows: [Row, number][] = [];
  forEachLine(bytes, (text, line) => {
    if (text.trim() === '') return;
    if (text.length < FIELDS.usps[1]) throw new LayoutError(file, line, `is shorter than ${FIELDS.usps[1]} characters`);
    const fieldText = (field: keyof typeof FIELDS): string => text.slice(FIELDS[field][0], FIELDS[field][1]).trim();
    // Codes are blank-padded in some years and zero-padded in others.
    rows.push([
      [
        fieldText('state').padStart(2, '0'),
        fieldText('county').padStart(3, '0'),
        fieldText('usps'),
        fieldText('name'),
        fieldText('income'),
      ],
      line,
    ]);
  });
  return rows;
}

function csvCells(file: string, bytes: Buffer): string[][] {
  try {
    return parse(bytes, { bom: true, relax_column_count: true, skip_empty_lines: true });
  } catch (error) {
    throw new LayoutError(file, null, `is not CSV (${error instanceof Error ? error.message : String(error)})`);
  }
}

function xlsCells(file: string, bytes: Buffer): string[][] {
  try {
    const book = xlsx.read(bytes, { type: 'buffer', cellFormula: false, cellHTML: false, sheetRows: 10_000 });
    const cells = xlsx.utils.sheet_to_json<unknown[]>(book.Sheets[book.SheetNames[0]], { header: 1, raw: true });
    return cells.map((row) => Array.from(row, textOf));
  } catch (error) {
    throw new LayoutError(file, null, `is no Excel sheet (${error instanceof Error ? error.message : String(error)})`);
  }
}

const textOf = (cell: unknown): string =>
  typeof cell === 'string' ? cell : typeof cell === 'number' ? String(cell) : '';

/** Rows below the header, which is row 4 of the sheet and row 1 of its text form. */
function sheetRows(file: string, cells: string[][]): [Row, number][] {
  const heading = cells.findIndex((row) => row[0] === LEADING[0]);
  const names = cells[heading] ?? [];
  const exact = LEADING.every((name, i) => names[i] === name) && names[INCOME_COLUMN] === INCOME;
  if (heading < 0 || heading > 10 || !exact || names.length !== COLUMNS)
    throw new LayoutError(
      file,
      heading < 0 ? null : heading + 1,
      `the header is not ${LEADING.join(',')},... with ${INCOME} in column ${INCOME_COLUMN + 1} of ${COLUMNS}`,
    );
  return cells.slice(heading + 1).map((row, i) => {
    if (row.length !== COLUMNS)
      throw new LayoutError(file, heading + i + 2, `has ${row.length} fields, expected ${COLUMNS}`);
    return [[row[0], row[1], row[2], row[3].trim(), row[INCOME_COLUMN]], heading + i + 2];
  });
}

export interface ListedCounty {
  readonly fips: string;
  readonly name: string;
  readonly stateUsps: string;
}

/**
 * Reads the national county list `national_county.txt`: no header, `State,StateFIPS,CountyFIPS,Name,ClassCode`.
 * @throws LayoutError
 */
export function readCountyList(file: string, bytes: Buffer): ListedCounty[] {
  const counties = new Map<string, ListedCounty>();
  forEachLine(bytes, (text, line) => {
    const [stateUsps, state, county, name, classCode, ...rest] = text.split(',');
    if (classCode === undefined || rest.length > 0) throw new LayoutError(file, line, 'has not five fields');
    if (!/^[A-Z]{2}$/.test(stateUsps) || !/^\d{2}$/.test(state) || !/^\d{3}$/.test(county))
      throw new LayoutError(file, line, 'expected State,StateFIPS,CountyFIPS,Name,ClassCode');
    if (name.trim() === '' || !/^[A-Z]\d$/.test(classCode))
      throw new LayoutError(file, line, 'name or class code is missing');
    const fips = state + county;
    if (counties.has(fips)) throw new LayoutError(file, line, `${fips} is listed twice`);
    counties.set(fips, { fips, name: name.trim(), stateUsps });
  });
  if (counties.size === 0) throw new LayoutError(file, null, 'holds no county');
  return [...counties.values()];
}
