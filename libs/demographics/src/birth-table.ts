import type { PackedKeyIndex } from './key-index';
import { type Sex, SEXES } from './sex';

/**
 * Births by first name, sex and year as compressed sparse rows.
 * The cells of name i and sex s are rowStart[2 * i + s] up to rowStart[2 * i + s + 1], by ascending year.
 */
export interface BirthTable {
  /** first and last year of birth of the edition, both included; at most 256 years */
  readonly firstYear: number;
  readonly lastYear: number;
  /** keys as `firstNameKey` makes them */
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

/** Cells of a name over both sexes: what the direct sum costs. */
export const cellsOf = (births: BirthTable, name: number): number =>
  births.rowStart[2 * name + SEXES.length] - births.rowStart[2 * name];
