import { type AreaTable, TRACTS_PER_COUNTY } from './area-table';
import { COLUMN_OF_RACE, PCT_COLUMNS, RACES, type Race } from './surname-table';

/** Levels of Census areas that refine a surname estimate, smallest areas first. */
export const AREA_LEVELS = ['tract', 'zcta', 'county'] as const;
export type AreaLevel = (typeof AREA_LEVELS)[number];
export type EthnicityBasis = AreaLevel | 'surname';

/** Population by group of Census areas, in hundredths of people: six values per area in the order of PCT_COLUMNS. */
export interface EthnicGeography extends Readonly<Record<AreaLevel, AreaTable>> {
  readonly nation: Float64Array;
  /** Row ALL OTHER NAMES of the 2010 surname file: six values in hundredths of a percent. */
  readonly otherNames: Uint16Array;
  /** Null if the data release was built without first names by race. */
  readonly firstNames: FirstNamePeople | null;
}

/** People by first name and group, in hundredths of people and the order of PCT_COLUMNS. */
export interface FirstNamePeople {
  /** Codes are positions in the birth files. */
  readonly names: AreaTable;
  /** All people of the file, also those with other names. */
  readonly all: Float64Array;
}

/** Result of the lookups of surname and first name, as input of `placeEthnicity`. */
export interface NameLookup {
  /** Six hundredths of a percent in the order of PCT_COLUMNS; null if the surname is unlisted or was not looked up. */
  readonly pctHundredths: ArrayLike<number> | null;
  readonly race: string | null;
  /** True if a person's surname was looked up and the file for the year does not list it. */
  readonly isSurnameUnlisted: boolean;
  /** Position of the first name in the birth files; -1 if it is unknown or was not looked up. */
  readonly nameIndex: number;
}

/** False if `placeEthnicity` needs no more of a row's names than the stored shares of its surname. */
export const needsNameLookup = ({ firstNames }: Pick<EthnicGeography, 'firstNames'>, hasShares: boolean): boolean =>
  !hasShares || firstNames !== null;

export interface AreaCodes {
  /** Five digits; null or '' if the county is unknown. */
  readonly fips: string | null;
  /** Six digits. */
  readonly tract: string | null;
  /** Five digits. */
  readonly zip: string | null;
}

/** Result of `placeEthnicity`. */
export interface PlaceEthnicity {
  /** Smallest area that the estimate uses, or `surname`; null if the row has no estimate. */
  ethnicityBasis: EthnicityBasis | null;
  /** False if the shares of ALL OTHER NAMES replace those of the surname; null if the row has no estimate. */
  isSurnameListed: boolean | null;
  race: string | null;
  /** Six hundredths of a percent. They add up to 10,000 if the estimate uses an area. */
  pctHundredths: ArrayLike<number> | null;
}

export const emptyPlaceEthnicity = (): PlaceEthnicity => ({
  ethnicityBasis: null,
  isSurnameListed: null,
  race: null,
  pctHundredths: null,
});

const GROUPS = PCT_COLUMNS.length;
/** Pseudo-count in hundredths of people, added to each area in the proportions of its parent area. */
const ALPHA = 500;
const WHOLE = 10_000;
const ZERO = 48;

/**
 * Ethnicity by Bayesian Improved Surname Geocoding (Elliott et al. 2009; CFPB 2014): P(r | s, g) ∝ P(r | s) · P(g | r),
 * P(g | r) = (people of r in g + α · share of r in g's parent) / (people of r in the nation + α), α = 5.
 * The parent of a tract is its county; the parent of a ZCTA or county is the nation. The smallest known area is used.
 * If the data release has first names by race and lists the first name f, the estimate is multiplied by P(f | r), which
 * has the same form with the people of the file as nation and parent (Voicu 2018).
 * An area is skipped if it, or the first name, gives every group of the surname a probability of 0.
 * @param name - result of the name lookups; the shares of ALL OTHER NAMES replace those of an unlisted surname
 * @param place - codes of the known areas
 * @param geography - population tables of one data release
 * @param result - overwritten and returned; its shares are valid until the next call
 * @returns `result`; without a known area, the unchanged shares of the surname
 * @see docs/method.md#ethnicity-by-place
 */
export function placeEthnicity<Result extends PlaceEthnicity>(
  name: NameLookup,
  place: AreaCodes,
  geography: EthnicGeography,
  result: Result,
): Result {
  const shares = name.isSurnameUnlisted ? geography.otherNames : name.pctHundredths;
  result.pctHundredths = shares;
  result.race = name.race;
  result.ethnicityBasis = result.isSurnameListed = null;
  if (shares === null) return result;
  result.isSurnameListed = !name.isSurnameUnlisted;
  result.ethnicityBasis = 'surname';
  for (const level of AREA_LEVELS) {
    if (!weigh(shares, name.nameIndex, geography, level, codeOf(place, level))) continue;
    result.pctHundredths = roundedShares();
    result.race = highest(rounded);
    result.ethnicityBasis = level;
    return result;
  }
  if (name.isSurnameUnlisted) result.race = highest(shares);
  return result;
}

/** GEOID as a number; NaN if it is unknown. */
function codeOf({ fips, tract, zip }: AreaCodes, level: AreaLevel): number {
  if (level === 'zcta') return numberOf(zip);
  return level === 'county' ? numberOf(fips) : TRACTS_PER_COUNTY * numberOf(fips) + numberOf(tract);
}

/** Parses decimal digits; NaN for null or an empty string. */
function numberOf(digits: string | null): number {
  if (digits === null || digits === '') return NaN;
  let number = 0;
  for (let at = 0; at < digits.length; at++) number = 10 * number + digits.charCodeAt(at) - ZERO;
  return number;
}

/** Median household income of the tract in dollars a year; null if the tract is unknown or has no estimate. */
export function tractIncome(incomes: AreaTable, place: Pick<AreaCodes, 'fips' | 'tract'>): number | null {
  const index = incomes.indexOf(codeOf({ ...place, zip: null }, 'tract'));
  return index < 0 ? null : incomes.values[index];
}

/** Holds in turn the unnormalized posterior, the posterior in hundredths of a percent, and the rounding remainders. */
const weights = new Float64Array(GROUPS);
const rounded = new Uint16Array(GROUPS);

/** Fills `weights` with numbers that add up to WHOLE; returns false if the area is unknown or every weight is 0. */
function weigh(
  shares: ArrayLike<number>,
  nameIndex: number,
  geography: EthnicGeography,
  level: AreaLevel,
  code: number,
): boolean {
  const { [level]: areas, county: counties, nation, firstNames } = geography;
  const area = areas.indexOf(code);
  if (area < 0) return false;
  for (let group = 0; group < GROUPS; group++) weights[group] = shares[group];
  const county = level === 'tract' ? counties.indexOf(Math.floor(code / TRACTS_PER_COUNTY)) : -1;
  if (county < 0) multiply(areas.values, area, nation, 0, nation);
  else multiply(areas.values, area, counties.values, county, nation);
  const name = firstNames === null || nameIndex < 0 ? -1 : firstNames.names.indexOf(nameIndex);
  if (firstNames !== null && name >= 0) multiply(firstNames.names.values, name, firstNames.all, 0, firstNames.all);
  let total = 0;
  for (let group = 0; group < GROUPS; group++) total += weights[group];
  if (total === 0) return false;
  for (let group = 0; group < GROUPS; group++) weights[group] *= WHOLE / total;
  return true;
}

/**
 * Multiplies the weights by the probability of an area (or first name) in each group.
 * @param people - by area and group; the rows `at` and `parentAt` begin at that number times GROUPS
 * @param parent - gives the proportions of the pseudo-count
 * @param all - people of each group
 */
function multiply(
  people: ArrayLike<number>,
  at: number,
  parent: ArrayLike<number>,
  parentAt: number,
  all: ArrayLike<number>,
): void {
  let parentPeople = 0;
  for (let group = 0; group < GROUPS; group++) parentPeople += parent[GROUPS * parentAt + group];
  const addedPerPerson = parentPeople > 0 ? ALPHA / parentPeople : 0;
  for (let group = 0; group < GROUPS; group++) {
    const here = people[GROUPS * at + group] + addedPerPerson * parent[GROUPS * parentAt + group];
    weights[group] *= here / (all[group] + ALPHA);
  }
}

/** Rounds the weights to hundredths of a percent that add up to 100 % (largest remainder method). */
function roundedShares(): Uint16Array {
  let rest = WHOLE;
  for (let group = 0; group < GROUPS; group++) {
    rounded[group] = weights[group];
    weights[group] -= rounded[group];
    rest -= rounded[group];
  }
  for (; rest > 0; rest--) {
    let largest = 0;
    for (let group = 1; group < GROUPS; group++) if (weights[group] > weights[largest]) largest = group;
    rounded[largest]++;
    weights[largest] = -1;
  }
  return rounded;
}

/** Group with the highest share; in a tie, the first of RACES. */
function highest(shares: ArrayLike<number>): Race {
  let best = 0;
  for (let race = 1; race < RACES.length; race++)
    if (shares[COLUMN_OF_RACE[race]] > shares[COLUMN_OF_RACE[best]]) best = race;
  return RACES[best];
}
