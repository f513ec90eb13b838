import {
  type Census,
  PCT_COLUMNS,
  RACES,
  type Race,
  type SurnameEthnicity,
  emptyEthnicity,
  isTied,
  surnameEthnicity,
} from '@donorlens/demographics';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { checkShape } from '../http/json-body';
import { MAX_ID, MAX_NAME } from '../schemas/queries';
import { HUNDREDTHS, QUERY_DEPTH, bulkAnswer } from './bulk-request';

interface EthnicityQuery {
  readonly surname: string;
  readonly year: number;
  readonly id?: string;
}

/** The specified order of the six percentages, as columns of the census tables. */
const WIRE_ORDER = (['2prace', 'aian', 'api', 'black', 'hispanic', 'white'] as const).map((group) => ({
  field: `pct${group}`,
  column: PCT_COLUMNS.indexOf(group),
}));

const FIELDS = WIRE_ORDER.map(({ field }, at) => `${at === 0 ? '{' : ','}"${field}":`);
const UNKNOWN = `${FIELDS.map((field) => `${field}null`).join('')},"race":null`;

/** Reused result object: each query fills it, and the api reads it before the next query. */
const RESULT = emptyEthnicity();

function checked(query: unknown): EthnicityQuery | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const { surname, year, id } = query as Record<string, unknown>;
  if (typeof surname !== 'string' || surname.length > MAX_NAME) return undefined;
  if (typeof year !== 'number' || !Number.isInteger(year) || year < FIRST_YEAR || year > LAST_YEAR) return undefined;
  if (id !== undefined && (typeof id !== 'string' || id.length > MAX_ID)) return undefined;
  for (const key in query) {
    if (key === 'surname' || key === 'year' || key === 'id') continue;
    checkShape(query, QUERY_DEPTH);
    break;
  }
  return query as EthnicityQuery;
}

function resultText({ surnameTable: table, surnameRow: row, race }: SurnameEthnicity): string {
  if (table === null) return UNKNOWN;
  let text = '';
  for (let at = 0; at < FIELDS.length; at++)
    text += FIELDS[at] + HUNDREDTHS[table.pct[6 * row + WIRE_ORDER[at].column]];
  return `${text},"race":${race === null ? 'null' : `"${race}"`}`;
}

/** Fields that `?detail=true` adds to a result. */
function detailOf(found: SurnameEthnicity, { year }: EthnicityQuery, release: Release): Record<string, unknown> {
  const { surnameTable: table, surnameRow: row } = found;
  const mask = table === null ? 0 : table.suppressed[row];
  return {
    census: release.demographics.censusOf(year),
    matched_surname: table?.names.keyAt(row) ?? null,
    suppressed: WIRE_ORDER.filter(({ column }) => mask & (1 << column)).map(({ field }) => field),
    tie: table !== null && isTied(table, row),
    data_release: release.id,
  };
}

/** One result as JSON text, with the surname as requested. */
export function ethnicityResult(query: EthnicityQuery, release: Release, detail: boolean): string {
  const found = surnameEthnicity(query.surname, query.year, release.demographics, RESULT);
  let text = `${resultText(found)},"surname":${JSON.stringify(query.surname)}`;
  if (query.id !== undefined) text += `,"id":${JSON.stringify(query.id)}`;
  if (detail) text += `,${JSON.stringify(detailOf(found, query, release)).slice(1, -1)}`;
  return `${text}}`;
}

/** Results of parsed queries in order; undefined if a query is invalid. */
export const ethnicityResults = (
  queries: readonly unknown[],
  release: Release,
  detail: boolean,
): Promise<string | Buffer | undefined> =>
  bulkAnswer(
    (at) => at === queries.length,
    (at) => {
      const query = checked(queries[at]);
      return query && ethnicityResult(query, release, detail);
    },
  );

/** Share of one group of a surname in one census. */
export interface GroupShare {
  readonly group: Race;
  /** 0 to 100; an equal share of the remainder if the Census suppresses the cell */
  readonly percent: number;
  readonly isSuppressed: boolean;
}

/** A surname in one census file. */
export interface CensusAnswer {
  readonly census: Census;
  /** spelling of the surname in the file */
  readonly matched: string;
  /** in the order that resolves a tie */
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
  readonly requested: CensusAnswer | null;
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
    requested: censusAnswer(release, surname, census),
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
export const comparable = ({ requested, other }: EthnicityAnswer): CensusAnswer | null =>
  requested !== null && other !== null && requested.matched === other.matched ? other : null;

export const shareOf = ({ shares }: CensusAnswer, group: Race): GroupShare | undefined =>
  shares.find((share) => share.group === group);
