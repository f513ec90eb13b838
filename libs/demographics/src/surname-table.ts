import { type PackedKeyIndex } from './names/key-index';

/** Groups of the Census surname files. In a tie, the first of them wins. */
export const RACES = ['white', 'black', 'hispanic', 'api', 'aian', '2prace'] as const;
export type Race = (typeof RACES)[number];

/** The six percentages in the column order of the Census files, which the tables also use. */
export const PCT_COLUMNS = ['white', 'black', 'api', 'aian', '2prace', 'hispanic'] as const satisfies readonly Race[];

export type Census = 2000 | 2010 | 2020;

/** Last donation year for which the 2000 Census is used, and the last for the 2010 Census if 2020 surnames exist. */
const LAST_YEAR_OF_2000 = 2005;
const LAST_YEAR_OF_2010 = 2015;

/**
 * Census whose surname file is used for a year: 2000 for any year up to 2005, 2010 for any year from 2006 on.
 * @param has2020 - true if the data release has surnames of the 2020 Census, which are used from 2016 on
 */
export function censusFor(year: number, has2020 = false): Census {
  if (year <= LAST_YEAR_OF_2000) return 2000;
  return has2020 && year > LAST_YEAR_OF_2010 ? 2020 : 2010;
}

/** Stored instead of an index into RACES if every cell of the row is suppressed. */
export const NO_RACE = 255;

/** Index in PCT_COLUMNS of each race of RACES. */
export const COLUMN_OF_RACE = RACES.map((race) => PCT_COLUMNS.indexOf(race));

/** One Census surname file, most frequent surnames first. Row i belongs to the surname names.keyAt(i). */
export interface SurnameTable {
  readonly census: Census;
  /** upper-case A-Z, two letters or more */
  readonly names: PackedKeyIndex;
  /** six per surname in the order of PCT_COLUMNS: hundredths of a percent, suppressed cells already filled */
  readonly pct: Uint16Array;
  /** bit c is set if the cell of PCT_COLUMNS[c] is suppressed in the file */
  readonly suppressed: Uint8Array;
  /** index into RACES, or NO_RACE */
  readonly race: Uint8Array;
}

/** A stored row of a surname file. */
export interface SurnameRow {
  /** six hundredths of a percent in the order of PCT_COLUMNS */
  readonly pct: number[];
  readonly suppressed: number;
  readonly race: number;
}

const WHOLE = 10_000;

/**
 * Fills the suppressed cells of a surname row and finds the group with the highest published share.
 * @param cells - six cells in the order of PCT_COLUMNS: published hundredths of a percent, null for a suppressed cell
 * @returns the row: the suppressed cells share equally what the published cells leave of 100 %, at least 0, rounded
 *   half up; a row without suppressed cells is unchanged, even if it does not add up to 100 %
 * Source: Census 2000 and 2010 surname files, technical documentation. Worked by hand in surname-table.spec.ts.
 */
export function fillSuppressed(cells: readonly (number | null)[]): SurnameRow {
  let published = 0;
  let missing = 0;
  let suppressed = 0;
  cells.forEach((cell, column) => {
    if (cell === null) {
      missing++;
      suppressed |= 1 << column;
    } else published += cell;
  });
  const rest = Math.max(0, WHOLE - published);
  const share = missing === 0 ? 0 : Math.floor((2 * rest + missing) / (2 * missing));
  return { pct: cells.map((cell) => cell ?? share), suppressed, race: pluralityOf(cells) };
}

/** Index into RACES of the highest published cell, the first in a tie; NO_RACE if every cell is suppressed. */
function pluralityOf(cells: readonly (number | null)[]): number {
  let best = NO_RACE;
  let highest = -1;
  COLUMN_OF_RACE.forEach((column, race) => {
    const cell = cells[column];
    if (cell !== null && cell > highest) {
      highest = cell;
      best = race;
    }
  });
  return best;
}

/** Group with the highest published percentage; null if every cell of the row is suppressed. */
export const raceAt = (table: SurnameTable, index: number): Race | null =>
  table.race[index] === NO_RACE ? null : RACES[table.race[index]];

/** True if another published cell is as high as the cell of the race. */
export function isTied(table: SurnameTable, index: number): boolean {
  const race = table.race[index];
  if (race === NO_RACE) return false;
  const highest = table.pct[6 * index + COLUMN_OF_RACE[race]];
  let equals = 0;
  for (let column = 0; column < 6; column++)
    if (table.pct[6 * index + column] === highest && (table.suppressed[index] & (1 << column)) === 0) equals++;
  return equals > 1;
}
