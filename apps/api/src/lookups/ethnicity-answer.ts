import { censusFor, isTied, PCT_COLUMNS, raceAt, RACES, type Race, type SurnameMatch } from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';

/** What a census says of one group of a surname. */
export interface GroupShare {
  readonly group: Race;
  /** 0 to 100; an equal share of what is left where the census withholds the cell */
  readonly percent: number;
  readonly isSuppressed: boolean;
}

/** What one census file says of a surname. */
export interface CensusAnswer {
  readonly census: 2000 | 2010;
  /** the spelling that is in the file */
  readonly matched: string;
  /** in the order that decides a tie */
  readonly shares: readonly GroupShare[];
  /** null where every cell is withheld */
  readonly race: Race | null;
  readonly isTied: boolean;
}

/** What is known of one surname at one year: page, chart and table are made from this. */
export interface EthnicityAnswer {
  readonly surname: string;
  readonly year: number;
  readonly census: 2000 | 2010;
  /** null where the census of the year does not have the surname */
  readonly asked: CensusAnswer | null;
  /** What the other census says. It is never the answer. */
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

/** The other census, where it has the same spelling: then the two can be compared. */
export const comparable = ({ asked, other }: EthnicityAnswer): CensusAnswer | null =>
  asked !== null && other !== null && asked.matched === other.matched ? other : null;

export const shareOf = ({ shares }: CensusAnswer, group: Race): GroupShare | undefined =>
  shares.find((share) => share.group === group);
