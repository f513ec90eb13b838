import { findSurname, surnameKeys } from './names/surname-key';
import { NO_RACE, RACES, type Race, type SurnameTable } from './surname-table';

/** The last donation year answered from the census of 2000. */
const LAST_YEAR_OF_2000 = 2005;

/** Which census file answers for a year: 2000 up to 2005, 2010 from 2006 on, however far away. */
export const censusFor = (year: number): 2000 | 2010 => (year <= LAST_YEAR_OF_2000 ? 2000 : 2010);

/** Where a surname was found. */
export interface SurnameMatch {
  readonly table: SurnameTable;
  /** row of the table */
  readonly index: number;
  /** the spelling that is in the file */
  readonly key: string;
}

/** Surname and year to a row of a census file. The other file is never asked. */
export class EthnicityLookup {
  constructor(
    private readonly t2000: SurnameTable,
    private readonly t2010: SurnameTable,
  ) {}

  tableFor(year: number): SurnameTable {
    return censusFor(year) === 2000 ? this.t2000 : this.t2010;
  }

  /** Row of the surname in the year's table, -1 when no spelling of it is there. Plain ASCII allocates nothing. */
  indexOf(table: SurnameTable, surname: string): number {
    const row = findSurname(table.names, surname);
    if (row !== undefined) return row;
    for (const key of surnameKeys(surname)) {
      const index = table.names.find(key);
      if (index >= 0) return index;
    }
    return -1;
  }

  find(surname: string, year: number): SurnameMatch | null {
    const table = this.tableFor(year);
    const index = this.indexOf(table, surname);
    return index < 0 ? null : { table, index, key: table.names.keyAt(index) };
  }
}

/** The group with the highest published percentage, null where the whole row is suppressed. */
export const raceAt = (table: SurnameTable, index: number): Race | null =>
  table.race[index] === NO_RACE ? null : RACES[table.race[index]];
