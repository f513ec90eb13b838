import { isTied, PCT_COLUMNS, raceAt, type SurnameMatch } from '@donorlens/demographics';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { checkShape } from '../http/json-body';
import { HUNDREDTHS, bulkAnswer } from './bulk-answer';
import { AROUND_QUERY } from './queries';
import { MOST_ID, MOST_NAME } from './wire-schemas';

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

function checked(query: unknown): EthnicityQuery | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const { surname, year, id } = query as Record<string, unknown>;
  if (typeof surname !== 'string' || surname.length > MOST_NAME) return undefined;
  if (typeof year !== 'number' || !Number.isInteger(year) || year < FIRST_YEAR || year > LAST_YEAR) return undefined;
  if (id !== undefined && (typeof id !== 'string' || id.length > MOST_ID)) return undefined;
  for (const key in query) if (key !== 'surname' && key !== 'year' && key !== 'id') checkShape(query, AROUND_QUERY);
  return query as EthnicityQuery;
}

function answerOf(match: SurnameMatch | null): string {
  if (match === null) return UNKNOWN;
  const { table, index } = match;
  let text = '';
  for (let at = 0; at < FIELDS.length; at++)
    text += FIELDS[at] + HUNDREDTHS[table.pct[6 * index + WIRE_ORDER[at].column]];
  const race = raceAt(table, index);
  return `${text},"race":${race === null ? 'null' : `"${race}"`}`;
}

/** What `?detail=true` adds to a result. */
function detailOf(release: Release, year: number, match: SurnameMatch | null): Record<string, unknown> {
  const { ethnicity } = release.demographics;
  const mask = match === null ? 0 : match.table.suppressed[match.index];
  return {
    census: ethnicity.tableFor(year).census,
    matched_surname: match?.key ?? null,
    suppressed: WIRE_ORDER.filter(({ column }) => mask & (1 << column)).map(({ field }) => field),
    tie: match !== null && isTied(match.table, match.index),
    data_release: release.id,
  };
}

/** One result as JSON text. The surname comes back to the character. */
export function ethnicityResult(query: EthnicityQuery, release: Release, detail: boolean): string {
  const match = release.demographics.ethnicity.find(query.surname, query.year);
  let text = `${answerOf(match)},"surname":${JSON.stringify(query.surname)}`;
  if (query.id !== undefined) text += `,"id":${JSON.stringify(query.id)}`;
  if (detail) text += `,${JSON.stringify(detailOf(release, query.year, match)).slice(1, -1)}`;
  return `${text}}`;
}

/** The answer to a bulk body, in the order of the queries; undefined where a query is not valid. */
export const ethnicityResults = (
  queries: readonly unknown[],
  release: Release,
  detail: boolean,
): Promise<string | Buffer | undefined> =>
  bulkAnswer(queries.length, (at) => {
    const query = checked(queries[at]);
    return query && ethnicityResult(query, release, detail);
  });
