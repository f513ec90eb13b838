import { LayoutError } from './reference-data-error';
import { eachLine } from './text-lines';

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
  eachLine(bytes, (text, line) => {
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
