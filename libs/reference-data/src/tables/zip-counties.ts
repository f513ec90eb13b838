import { LayoutError, forEachLine } from '../reference-data-error';

/** A county for each ZIP: position n is that of the ZIP with this number. */
export interface ZipColumns {
  /** FIPS code as a number; 0 for none */
  readonly fips: Uint32Array;
  /** Share of the ZIP's population that lives in the county, hundredths of a percent */
  readonly share: Uint16Array;
}

export interface ZipFile {
  readonly columns: ZipColumns;
  /** lines: one for each ZIP and county */
  readonly rows: number;
  readonly zips: number;
}

const HEADER =
  'ZCTA5,STATE,COUNTY,GEOID,POPPT,HUPT,AREAPT,AREALANDPT,ZPOP,ZHU,ZAREA,ZAREALAND,COPOP,COHU,COAREA,COAREALAND,' +
  'ZPOPPCT,ZHUPCT,ZAREAPCT,ZAREALANDPCT,COPOPPCT,COHUPCT,COAREAPCT,COAREALANDPCT';
const FIELDS = HEADER.split(',').length;
const SHARE = HEADER.split(',').indexOf('ZPOPPCT');
/** Number of ZIP codes with five digits. */
export const ZIP_NUMBERS = 100_000;

/**
 * Reads the relationship file of ZIP Code Tabulation Areas and counties of 2010. A ZIP has the county in which most of
 * its people live; of equal shares that with the lower code.
 * @throws LayoutError
 */
export function readZipCounties(file: string, bytes: Buffer): ZipFile {
  const columns = { fips: new Uint32Array(ZIP_NUMBERS), share: new Uint16Array(ZIP_NUMBERS) };
  const pairs = new Set<string>();
  let zips = 0;
  forEachLine(bytes, (text, line) => {
    if (line === 1) {
      if (text !== HEADER) throw new LayoutError(file, line, 'the header is not that of zcta_county_rel_10.txt');
      return;
    }
    const { zip, fips, share } = readLine(file, line, text);
    if (pairs.has(zip + fips)) throw new LayoutError(file, line, `ZIP ${zip} and county ${fips} are listed twice`);
    pairs.add(zip + fips);
    const [at, code] = [Number(zip), Number(fips)];
    const isFirst = columns.fips[at] === 0;
    if (isFirst) zips++;
    else if (share < columns.share[at] || (share === columns.share[at] && code > columns.fips[at])) return;
    columns.fips[at] = code;
    columns.share[at] = share;
  });
  if (zips === 0) throw new LayoutError(file, null, 'holds no ZIP');
  return { columns, rows: pairs.size, zips };
}

function readLine(file: string, line: number, text: string): { zip: string; fips: string; share: number } {
  const cells = text.split(',');
  if (cells.length !== FIELDS) throw new LayoutError(file, line, `has ${cells.length} fields, expected ${FIELDS}`);
  const [zip, state, county, fips] = cells;
  if (!/^\d{5}$/.test(zip) || !/^\d{5}$/.test(fips) || fips !== state + county)
    throw new LayoutError(file, line, 'ZCTA5 or GEOID does not have five digits, or GEOID is not STATE and COUNTY');
  const percent = /^\d{1,3}(?:\.\d{1,4})?$/.test(cells[SHARE]) ? Number(cells[SHARE]) : NaN;
  if (!(percent <= 100)) throw new LayoutError(file, line, 'ZPOPPCT is not a percentage');
  return { zip, fips, share: Math.round(100 * percent) };
}
