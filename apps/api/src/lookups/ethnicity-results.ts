import { emptyEthnicity, isTied, PCT_COLUMNS, type SurnameEthnicity, surnameEthnicity } from '@donorlens/demographics';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { checkShape } from '../http/json-body';
import { HUNDREDTHS, bulkAnswer, QUERY_DEPTH } from './bulk-request';
import { MAX_ID, MAX_NAME } from '../schemas/queries';

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

/** Filled by each query and read before the next one. */
const RESULT = emptyEthnicity();

function checked(query: unknown): EthnicityQuery | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const { surname, year, id } = query as Record<string, unknown>;
  if (typeof surname !== 'string' || surname.length > MAX_NAME) return undefined;
  if (typeof year !== 'number' || !Number.isInteger(year) || year < FIRST_YEAR || year > LAST_YEAR) return undefined;
  if (id !== undefined && (typeof id !== 'string' || id.length > MAX_ID)) return undefined;
  for (const key in query) if (key !== 'surname' && key !== 'year' && key !== 'id') checkShape(query, QUERY_DEPTH);
  return query as EthnicityQuery;
}

function resultText({ surnameTable: table, surnameRow: row, race }: SurnameEthnicity): string {
  if (table === null) return UNKNOWN;
  let text = '';
  for (let at = 0; at < FIELDS.length; at++)
    text += FIELDS[at] + HUNDREDTHS[table.pct[6 * row + WIRE_ORDER[at].column]];
  return `${text},"race":${race === null ? 'null' : `"${race}"`}`;
}

/** What `?detail=true` adds to a result. */
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

/** Results of parsed queries, in their order; undefined if a query is invalid. */
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
