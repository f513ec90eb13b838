import { createReadStream } from 'node:fs';
import { AREA_LEVELS, type AreaLevel, AreaTable } from '@donorlens/demographics';
import { LayoutError } from '../reference-data-error';

/**
 * Tables of the American Community Survey that a data release may hold: people by Hispanic origin and race; median
 * household income.
 */
export type AcsTable = 'b03002' | 'b19013';

/** A file that is read as a stream. */
export interface AcsFile {
  /** what messages call it */
  readonly file: string;
  readonly path: string;
}

/** People by group of every area, as `EthnicGeography` holds them. */
export interface AreaPeople extends Readonly<Record<AreaLevel, AreaTable>> {
  readonly nation: Float64Array;
  /** areas that are kept */
  readonly rows: number;
}

/**
 * GEO_ID is summary level, variant, component, `US` and code. Other levels and components, such as block groups, are
 * left out.
 */
const PREFIXES: Readonly<Record<AreaLevel, { readonly geoId: string; readonly digits: number }>> = {
  county: { geoId: '0500000US', digits: 5 },
  tract: { geoId: '1400000US', digits: 11 },
  zcta: { geoId: '860Z200US', digits: 5 },
};
const NATION = '0100000US';

/**
 * Not Hispanic or Latino: white, black, American Indian, Asian, Pacific Islander, other, two or more; Hispanic or
 * Latino.
 */
const PEOPLE = [3, 4, 5, 6, 7, 8, 9, 12].map((line) => `B03002_E${String(line).padStart(3, '0')}`);
const GROUPS = 6;
/** Stored numbers are hundredths of people. */
const HUNDRED = 100;

/**
 * Reads table B03002 of the table-based summary file, line by line: nation, counties, tracts and ZCTAs. Asian and Pacific
 * Islander are one group; people of some other race are spread over the other groups that are not Hispanic, in proportion
 * (CFPB 2014). An area with a negative number, which is an annotation, is left out.
 * @throws LayoutError
 */
export async function readAreaPeople(file: AcsFile): Promise<AreaPeople> {
  let nation: number[] | null = null;
  const areas = await readAreas(file, PEOPLE, GROUPS, (geoId, numbers) => {
    if (geoId === NATION) nation = peopleByGroup(numbers);
    return peopleByGroup(numbers);
  });
  if (nation === null) throw new LayoutError(file.file, null, `has no row ${NATION}`);
  const rows = AREA_LEVELS.reduce((sum, level) => sum + areas[level].codes.length, 1);
  return { ...areas, nation: Float64Array.from(nation), rows };
}

/** Reads table B19013: median household income in dollars, of tracts. @throws LayoutError */
export async function readTractIncomes(file: AcsFile): Promise<AreaTable> {
  return (await readAreas(file, ['B19013_E001'], 1, (_, dollars) => dollars)).tract;
}

/** In the order of PCT_COLUMNS, in hundredths of people. */
function peopleByGroup([white, black, aian, asian, islander, other, several, hispanic]: readonly number[]): number[] {
  const groups = [white, black, asian + islander, aian, several];
  const named = groups.reduce((sum, people) => sum + people);
  const factor = named === 0 ? HUNDRED : (HUNDRED * (named + other)) / named;
  return [...groups.map((people) => Math.round(people * factor)), HUNDRED * hispanic];
}

async function readAreas(
  file: AcsFile,
  columns: readonly string[],
  width: number,
  valuesOf: (geoId: string, numbers: readonly number[]) => readonly number[],
): Promise<Record<AreaLevel, AreaTable>> {
  const found = Object.fromEntries(AREA_LEVELS.map((level) => [level, new AreaRows(width)])) as Record<
    AreaLevel,
    AreaRows
  >;
  let positions: readonly number[] = [];
  let number = 0;
  for await (const line of linesOf(file.path)) {
    if (++number === 1) positions = positionsOf(file.file, line, columns);
    const level = AREA_LEVELS.find((one) => line.startsWith(PREFIXES[one].geoId));
    if (level === undefined && !line.startsWith(`${NATION}|`)) continue;
    const cells = line.split('|');
    const numbers = positions.map((at) => numberOf(file.file, number, cells[at]));
    if (numbers.some((value) => value < 0)) continue;
    const values = valuesOf(cells[0], numbers);
    if (level !== undefined) found[level].add(codeOf(file.file, number, cells[0], level), values);
  }
  return {
    tract: found.tract.table(file.file),
    zcta: found.zcta.table(file.file),
    county: found.county.table(file.file),
  };
}

function positionsOf(file: string, header: string, columns: readonly string[]): number[] {
  const names = header.split('|');
  const missing = ['GEO_ID', ...columns].filter((name) => !names.includes(name));
  if (missing.length > 0 || names[0] !== 'GEO_ID')
    throw new LayoutError(file, 1, `the header must begin with GEO_ID| and have ${columns.join(', ')}`);
  return columns.map((name) => names.indexOf(name));
}

/** Negative for an annotation and for an empty cell. */
function numberOf(file: string, line: number, cell: string | undefined): number {
  if (cell === '') return -1;
  if (cell === undefined || !/^-?\d{1,10}(?:\.0*)?$/.test(cell))
    throw new LayoutError(file, line, 'an estimate is not a whole number');
  return Number(cell);
}

function codeOf(file: string, line: number, geoId: string, level: AreaLevel): number {
  const { geoId: prefix, digits } = PREFIXES[level];
  const code = geoId.slice(prefix.length);
  if (code.length !== digits || !/^\d+$/.test(code))
    throw new LayoutError(file, line, `GEO_ID of a ${level} has not ${digits} digits after ${prefix}`);
  return Number(code);
}

/** Areas of one level as they are read, in any order. */
class AreaRows {
  private readonly codes: number[] = [];
  private readonly values: number[] = [];

  constructor(private readonly width: number) {}

  add(code: number, values: readonly number[]): void {
    this.codes.push(code);
    this.values.push(...values);
  }

  table(file: string): AreaTable {
    const { codes, values, width } = this;
    const order = Uint32Array.from(codes.keys()).sort((a, b) => codes[a] - codes[b]);
    const sortedCodes = Float64Array.from(order, (from) => codes[from]);
    const sortedValues = new Uint32Array(values.length);
    order.forEach((from, to) => {
      if (sortedCodes[to - 1] === codes[from]) throw new LayoutError(file, null, `area ${codes[from]} is listed twice`);
      for (let at = 0; at < width; at++) sortedValues[width * to + at] = values[width * from + at];
    });
    return new AreaTable(sortedCodes, sortedValues);
  }
}

/** Lines without their ends; memory holds one piece of the file. */
async function* linesOf(path: string): AsyncGenerator<string, void> {
  let rest = '';
  for await (const piece of createReadStream(path, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const lines = `${rest}${piece as string}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
