import { type PackedKeyIndex } from './names/key-index';

/** Groups of the census surname files, in the order that decides a tie. */
export const RACES = ['white', 'black', 'hispanic', 'api', 'aian', '2prace'] as const;
export type Race = (typeof RACES)[number];

/** The six percentages in the order of the census files' columns, in which tables store them. */
export const PCT_COLUMNS = ['white', 'black', 'api', 'aian', '2prace', 'hispanic'] as const satisfies readonly Race[];

export type Census = 2000 | 2010 | 2020;

/**
 * The last donation years answered from the 2000 and, if the data release has surnames of 2020, from the 2010 Census.
 */
const LAST_YEAR_OF_2000 = 2005;
const LAST_YEAR_OF_2010 = 2015;

/**
 * Which Census file answers for a year: 2000 up to 2005, 2010 from 2006 on, however far away.
 * @param has2020 - the data release has surnames of 2020: they answer from 2016 on
 */
export function censusFor(year: number, has2020 = false): Census {
  if (year <= LAST_YEAR_OF_2000) return 2000;
  return has2020 && year > LAST_YEAR_OF_2010 ? 2020 : 2010;
}

/** Stored instead of an index into RACES if every cell of the row is suppressed. */
export const NO_RACE = 255;

/** Index in PCT_COLUMNS of each race of RACES. */
export const COLUMN_OF_RACE = RACES.map((race) => PCT_COLUMNS.indexOf(race));

/** One census surname file. Row i is the surname names.keyAt(i). */
export interface SurnameTable {
  readonly census: Census;
  /** upper-case A-Z, two letters or more */
  readonly names: PackedKeyIndex;
  /** six per surname in the order of PCT_COLUMNS: hundredths of a percent, suppressed cells already filled */
  readonly pct: Uint16Array;
  /** bit c set: the cell of PCT_COLUMNS[c] is suppressed in the file */
  readonly suppressed: Uint8Array;
  /** index into RACES, or NO_RACE */
  readonly race: Uint8Array;
}

/** A row of a surname file as it is stored. */
export interface SurnameRow {
  /** six hundredths of a percent in the order of PCT_COLUMNS */
  readonly pct: number[];
  readonly suppressed: number;
  readonly race: number;
}

const WHOLE = 10_000;

/**
 * Fills the suppressed cells of a surname row and finds its plurality.
 * @param cells - six cells in the order of PCT_COLUMNS: published hundredths of a percent, null if suppressed, (S)
 * @returns suppressed cells with equal shares of 100 less the published ones, at least 0, rounded half up;
 *   rows without suppression do not change, whatever their sum is
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

/** Index into RACES of the highest published cell, the first of them on a tie; NO_RACE when nothing is published. */
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

/** The group with the highest published percentage; null if the whole row is suppressed. */
export const raceAt = (table: SurnameTable, index: number): Race | null =>
  table.race[index] === NO_RACE ? null : RACES[table.race[index]];

/** True when another published cell is as high as the one that names the race. */
export function isTied(table: SurnameTable, index: number): boolean {
  const race = table.race[index];
  if (race === NO_RACE) return false;
  const highest = table.pct[6 * index + COLUMN_OF_RACE[race]];
  let equals = 0;
  for (let column = 0; column < 6; column++)
    if (table.pct[6 * index + column] === highest && (table.suppressed[index] & (1 << column)) === 0) equals++;
  return equals > 1;
}
