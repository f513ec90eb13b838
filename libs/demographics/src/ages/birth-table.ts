import { type PackedKeyIndex } from '../names/key-index';
import { type Gender } from '../names/name-parts';

/** Sex as coded in the birth files and life tables; also the index in every table that has a dimension for sex. */
export const MALE = 0;
export const FEMALE = 1;
export type Sex = typeof MALE | typeof FEMALE;
export const SEXES: readonly Sex[] = [MALE, FEMALE];

/**
 * Births by first name, sex and year as compressed sparse rows.
 * The cells of name i and sex s are rowStart[2 * i + s] up to rowStart[2 * i + s + 1], by ascending year.
 */
export interface BirthTable {
  /** first and last birth year of the edition, both included; at most 256 years */
  readonly firstYear: number;
  readonly lastYear: number;
  /** keys that `firstNameKey` returns */
  readonly names: PackedKeyIndex;
  /** 2 * names.size + 1 entries */
  readonly rowStart: Uint32Array;
  /** year of a cell, minus firstYear */
  readonly yearOffset: Uint8Array;
  /** births of a cell, 5 or more */
  readonly count: Uint32Array;
}

export const birthYears = (births: BirthTable): number => births.lastYear - births.firstYear + 1;

/** Births of one name and sex over all years of the edition. */
export function birthsOf(births: BirthTable, name: number, sex: Sex): number {
  let sum = 0;
  for (let cell = births.rowStart[2 * name + sex]; cell < births.rowStart[2 * name + sex + 1]; cell++)
    sum += births.count[cell];
  return sum;
}

/** 1 / births of all names, by sex and cohort; 0 for a cohort without births. */
export function inverseBirths(births: BirthTable): Float64Array {
  const { rowStart, yearOffset, count } = births;
  const cohorts = birthYears(births);
  const total = new Float64Array(SEXES.length * cohorts);
  for (let row = 0; row < rowStart.length - 1; row++)
    for (let cell = rowStart[row]; cell < rowStart[row + 1]; cell++)
      total[(row % SEXES.length) * cohorts + yearOffset[cell]] += count[cell];
  return total.map((born) => (born === 0 ? 0 : 1 / born));
}

/** Sex with at least nine tenths of a name's births; null if neither sex has so many, and for position -1. */
export function clearSexOf(births: BirthTable, name: number): Gender | null {
  if (name < 0) return null;
  const males = birthsOf(births, name, MALE);
  const females = birthsOf(births, name, FEMALE);
  if (males >= 9 * females) return 'm';
  return females >= 9 * males ? 'f' : null;
}

/** Number of cells of a name over both sexes, which is the cost of the direct sum. */
export const cellsOf = (births: BirthTable, name: number): number =>
  births.rowStart[2 * name + SEXES.length] - births.rowStart[2 * name];

const [NOT_COMPUTED, MORE_MALES, MORE_FEMALES, EQUAL] = [0, 1, 2, 3];

/** Gender by births of the whole edition, computed once per name on first use. */
export class GendersByBirths {
  private readonly known: Uint8Array;

  constructor(private readonly births: BirthTable) {
    this.known = new Uint8Array(births.names.size);
  }

  /** Sex with more births; undefined if both sexes have equally many. */
  genderOf(name: number): Gender | undefined {
    if (this.known[name] === NOT_COMPUTED) this.known[name] = this.count(name);
    if (this.known[name] === EQUAL) return undefined;
    return this.known[name] === MORE_MALES ? 'm' : 'f';
  }

  private count(name: number): number {
    const males = birthsOf(this.births, name, MALE);
    const females = birthsOf(this.births, name, FEMALE);
    if (males === females) return EQUAL;
    return males > females ? MORE_MALES : MORE_FEMALES;
  }
}

/** Keys of the first names with the most births over all years of the edition, in descending order of births. */
export function frequentNames({ names, rowStart, count }: BirthTable, max: number): string[] {
  const births = Float64Array.from({ length: names.size }, (_, name) => {
    let sum = 0;
    for (let cell = rowStart[2 * name]; cell < rowStart[2 * name + SEXES.length]; cell++) sum += count[cell];
    return sum;
  });
  const order = Uint32Array.from({ length: names.size }, (_, name) => name);
  order.sort((a, b) => births[b] - births[a] || a - b);
  return Array.from(order.subarray(0, max), (name) => names.keyAt(name));
}
