import { censusFor, isTied, PCT_COLUMNS, raceAt, RACES, type Race, type SurnameMatch } from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';

/** Share of one group of a surname in one census. */
export interface GroupShare {
  readonly group: Race;
  /** 0 to 100; an equal share of the rest if the census suppresses the cell */
  readonly percent: number;
  readonly isSuppressed: boolean;
}

/** A surname in one census file. */
export interface CensusAnswer {
  readonly census: 2000 | 2010;
  /** the spelling in the file */
  readonly matched: string;
  /** in the order that decides a tie */
  readonly shares: readonly GroupShare[];
  /** null if every cell is suppressed */
  readonly race: Race | null;
  readonly isTied: boolean;
}

/** One surname at one year, for the page, its chart and its table. */
export interface EthnicityAnswer {
  readonly surname: string;
  readonly year: number;
  readonly census: 2000 | 2010;
  /** null if the census of the year does not have the surname */
  readonly asked: CensusAnswer | null;
  /** The other census, for comparison only. */
  readonly other: CensusAnswer | null;
}

export function ethnicityAnswer(release: Release, surname: string, year: number): EthnicityAnswer {
  const { ethnicity } = release.demographics;
  const census = censusFor(year);
  const other = census === 2000 ? 2010 : 2000;
  return {
    surname,
    year,
    census,
    asked: censusAnswer(ethnicity.find(surname, census)),
    other: censusAnswer(ethnicity.find(surname, other)),
  };
}

function censusAnswer(match: SurnameMatch | null): CensusAnswer | null {
  if (match === null) return null;
  const { table, index, key } = match;
  const shares = RACES.map((group) => {
    const column = PCT_COLUMNS.indexOf(group);
    return {
      group,
      percent: table.pct[6 * index + column] / 100,
      isSuppressed: (table.suppressed[index] & (1 << column)) !== 0,
    };
  });
  return { census: table.census, matched: key, shares, race: raceAt(table, index), isTied: isTied(table, index) };
}

/** The other census if it has the same spelling. */
export const comparable = ({ asked, other }: EthnicityAnswer): CensusAnswer | null =>
  asked !== null && other !== null && asked.matched === other.matched ? other : null;

export const shareOf = ({ shares }: CensusAnswer, group: Race): GroupShare | undefined =>
  shares.find((share) => share.group === group);
