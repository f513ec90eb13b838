import {
  type Census,
  emptyEthnicity,
  isTied,
  PCT_COLUMNS,
  RACES,
  type Race,
  surnameEthnicity,
} from '@donorlens/demographics';
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
  readonly census: Census;
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
  readonly census: Census;
  /** null if the census of the year does not have the surname */
  readonly asked: CensusAnswer | null;
  /** The other census, for comparison only. */
  readonly other: CensusAnswer | null;
}

export function ethnicityAnswer(release: Release, surname: string, year: number): EthnicityAnswer {
  const census = release.demographics.censusOf(year);
  const other = census === 2010 ? 2000 : 2010;
  return {
    surname,
    year,
    census,
    asked: censusAnswer(release, surname, census),
    other: censusAnswer(release, surname, other),
  };
}

function censusAnswer({ demographics }: Release, surname: string, census: Census): CensusAnswer | null {
  const found = surnameEthnicity(surname, census, demographics, emptyEthnicity());
  const { surnameTable: table, surnameRow: row, race } = found;
  if (table === null) return null;
  const shares = RACES.map((group) => {
    const column = PCT_COLUMNS.indexOf(group);
    return {
      group,
      percent: table.pct[6 * row + column] / 100,
      isSuppressed: (table.suppressed[row] & (1 << column)) !== 0,
    };
  });
  return { census, matched: table.names.keyAt(row), shares, race, isTied: isTied(table, row) };
}

/** The other census if it has the same spelling. */
export const comparable = ({ asked, other }: EthnicityAnswer): CensusAnswer | null =>
  asked !== null && other !== null && asked.matched === other.matched ? other : null;

export const shareOf = ({ shares }: CensusAnswer, group: Race): GroupShare | undefined =>
  shares.find((share) => share.group === group);
