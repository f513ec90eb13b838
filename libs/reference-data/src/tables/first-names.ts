import {
  AreaTable,
  type FirstNamePeople,
  type PackedKeyIndex,
  PCT_COLUMNS,
  firstNameKey,
} from '@donorlens/demographics';
import { LayoutError, forEachLine, parseWholeNumber } from '../reference-data-error';

export interface FirstNameFile extends FirstNamePeople {
  /** first names of the file, also those that the birth files lack */
  readonly rows: number;
}

const HEADER = 'firstname,obs,pcthispanic,pctwhite,pctblack,pctapi,pctaian,pct2prace';
const FIELDS = HEADER.split(',');
/** Fields of a row in the order of PCT_COLUMNS. */
const SHARES = PCT_COLUMNS.map((group) => FIELDS.indexOf(`pct${group}`));
/** Counts as people, but not as a name. */
const NO_FIRST_NAME = 'ALL OTHER FIRST NAMES';
/** Excel writes it before the header of `CSV UTF-8`. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** Percent; rounded shares of a row add up to 100 within this margin. */
const MARGIN = 0.5;

/**
 * Reads the shares of race and ethnicity by first name of Tzioumis (2018), "Demographic aspects of first names",
 * Scientific Data 5, with its sheet saved as CSV. Names with the same key in the birth files are added up.
 * @param births - first names of the birth files; a name that they lack counts only in the totals
 * @throws LayoutError
 */
export function readFirstNames(file: string, bytes: Buffer, births: PackedKeyIndex): FirstNameFile {
  const people = new Map<number, number[]>();
  const all = new Float64Array(PCT_COLUMNS.length);
  const seen = new Set<string>();
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  forEachLine(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, (text, line) => {
    if (line === 1) {
      if (text !== HEADER) throw new LayoutError(file, line, `the header is not ${HEADER}`);
      return;
    }
    const cells = text.split(',');
    if (cells.length !== FIELDS.length)
      throw new LayoutError(file, line, `has ${cells.length} fields, expected ${FIELDS.length}`);
    const [name] = cells;
    if (seen.has(name)) throw new LayoutError(file, line, `${name} is listed twice`);
    seen.add(name);
    const counts = peopleByGroup(file, line, cells);
    counts.forEach((count, group) => (all[group] += count));
    const at = name === NO_FIRST_NAME ? -1 : births.find(firstNameKey(name));
    if (at < 0) return;
    const known = people.get(at);
    people.set(at, known ? counts.map((count, group) => count + known[group]) : counts);
  });
  if (!seen.delete(NO_FIRST_NAME)) throw new LayoutError(file, null, `has no row ${NO_FIRST_NAME}`);
  if (people.size === 0) throw new LayoutError(file, null, 'has no first name of the birth files');
  const codes = [...people.keys()].sort((a, b) => a - b);
  const values = Uint32Array.from(codes.flatMap((code) => people.get(code) ?? []));
  return { names: new AreaTable(Float64Array.from(codes), values, 1), all, rows: seen.size };
}

/** In the order of PCT_COLUMNS, in hundredths of people. */
function peopleByGroup(file: string, line: number, cells: readonly string[]): number[] {
  const observed = parseWholeNumber(file, line, 'obs', cells[1]);
  const shares = SHARES.map((at) => {
    if (!/^\d{1,3}(?:\.\d*)?$/.test(cells[at])) throw new LayoutError(file, line, `${FIELDS[at]} is not a percentage`);
    return Number(cells[at]);
  });
  const sum = shares.reduce((total, share) => total + share, 0);
  if (!(Math.abs(sum - 100) <= MARGIN)) throw new LayoutError(file, line, 'the six percentages do not add up to 100');
  return shares.map((share) => Math.round(observed * share));
}
