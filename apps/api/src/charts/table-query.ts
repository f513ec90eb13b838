import { type IncomingHttpHeaders } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isNavigation, preferredFormat } from '../http/media-types';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type DataTable, MEDIA_TYPES, type TableFormat } from './data-tables';
import { officeOf } from '@donorlens/primitives';
import {
  CANDIDATE_ID,
  checkOffices,
  FILENAME,
  type ListParameter,
  type Lists,
  NAME_PART,
  OFFICE,
} from './list-parameters';

/** Validated parameters of a request for a table. */
export interface TableQuery {
  readonly table: DataTable;
  readonly format: TableFormat;
  readonly raw: boolean;
  /** True if the file begins with a byte order mark. */
  readonly bom: boolean;
  readonly lists: Lists;
  /** Parts of names to search for on a page, in addition to the selection of the chart. */
  readonly nameParts: readonly string[];
  /** Equal for all equivalent queries: sorted parameters without duplicates, and the format. */
  readonly canonical: string;
  /** Id of the data release that the table is made with and `canonical` names; null if none was loaded. */
  readonly dataRelease?: string | null;
}

/** @throws Problem 400 */
export function parseTableQuery(request: FastifyRequest, table: DataTable): TableQuery {
  const { own, options, formats } = table;
  const sent = request.query as QueryParameters;
  const format = formats.find((one) => one === sent.format) ?? acceptedFormat(request.headers, formats);
  const isPage = format === 'html';
  const query = isPage ? asForm(sent, own[0]) : sent;
  const reader = new ParameterReader(query);
  const lists = readLists(reader, own, isPage || format === 'svg' ? options : [...options, FILENAME]);
  checkOffices(reader, lists);
  if (isPage) readList(reader, NAME_PART);
  const nameParts = isPage ? reader.values(NAME_PART.name) : []; // as entered, because the page repeats them
  const names = own.map(({ name }) => name);
  if (!isPage && query.name_part !== undefined && !own.includes(NAME_PART))
    reader.addFault(NAME_PART.name, 'searches on the page only: add format=html');
  if (!isPage) requireOne(reader, query, names); // a page has a form for missing parameters
  reader.oneOf('format', formats);
  const [raw, bom] = ['raw', 'bom'].map((name) => reader.flag(name) && format === 'csv');
  reader.finish();
  const pairs = Object.keys(lists)
    .sort()
    .flatMap((name) => lists[name].map((value): [string, string] => [name, value]));
  const flags = Object.entries({ raw, bom }).flatMap(([name, is]): [string, string][] => (is ? [[name, 'true']] : []));
  return {
    table,
    format,
    raw,
    bom,
    lists,
    nameParts,
    canonical: new URLSearchParams([...pairs, ['format', format], ...flags]).toString(),
  };
}

/** A browser that follows a link gets the file despite its Accept header; the page needs `format=html`. */
function acceptedFormat(headers: IncomingHttpHeaders, formats: readonly TableFormat[]): TableFormat {
  const offers = isNavigation(headers) ? formats.filter((one) => one === 'csv' || one === 'json') : formats;
  return preferredFormat(headers.accept, offers as [TableFormat, ...TableFormat[]], MEDIA_TYPES);
}

/** Removes empty form fields, moves ids out of the field for names and ids, and adds the offices of candidate ids. */
function asForm(query: QueryParameters, ids: ListParameter): QueryParameters {
  const filled = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => {
      const isId = name === NAME_PART.name && 'value' in ids.read(one.trim());
      return isId ? [ids.name, one.trim()] : [name, one];
    }),
  );
  const form = new Map<string, string[]>();
  for (const [name, value] of filled) if (value.trim() !== '') form.set(name, [...(form.get(name) ?? []), value]);
  const chosen = form.get(OFFICE.name) ?? [];
  const ofIds = (form.get(CANDIDATE_ID.name) ?? []).flatMap((id) => officeOf(id.toUpperCase()) ?? []);
  if (ofIds.some((office) => !(chosen.length === 0 ? ['P'] : chosen).includes(office)))
    form.set(OFFICE.name, [...new Set([...chosen, ...ofIds])]);
  return Object.fromEntries([...form].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

/** Reads the list parameters of a route and reports errors to the reader; the caller finishes the reader. */
export function readLists(
  reader: ParameterReader,
  own: readonly ListParameter[],
  options: readonly ListParameter[] = [],
): Lists {
  return Object.fromEntries([...own, ...options].map((parameter) => [parameter.name, readList(reader, parameter)]));
}

function readList(reader: ParameterReader, { name, maxValues, read }: ListParameter): string[] {
  const sent = reader.values(name);
  if (sent.length > maxValues) {
    reader.addFault(name, maxValues === 1 ? 'may be given once' : `may have at most ${maxValues} values`);
    return [];
  }
  const values = new Set<string>();
  for (const text of sent) {
    const answer = read(text);
    if ('fault' in answer) reader.addFault(name, answer.fault);
    else values.add(answer.value);
  }
  return [...values].sort();
}

const neededText = (others: readonly string[]): string =>
  others.length === 0 ? 'is needed' : `is needed, unless ${others.join(' or ')} is given`;

/** A query without any condition would select all rows. */
export function requireOne(reader: ParameterReader, query: QueryParameters, names: readonly string[]): void {
  if (names.some((name) => query[name] !== undefined)) return;
  reader.addFault(names[0], neededText(names.slice(1)));
}

/** Maximum number of parsed queries in the cache. */
const MAX_PARSED = 1_000;
const TOKEN = /([?&])token=[^&]*/g;
/** URLs that may contain a key or an encoded value are parsed each time. */
const NOT_CACHED = /%|\+|key|token/i;

/** Parses queries, and caches the result by the URL without its key. */
export class TableQueryParser {
  private readonly parsed = new LRUCache<string, TableQuery>({ max: MAX_PARSED });

  /** @throws Problem 400 */
  parse(table: DataTable, request: FastifyRequest): TableQuery {
    const url = request.url.replace(TOKEN, '$1');
    if (NOT_CACHED.test(url)) return parseTableQuery(request, table);
    const key = `${request.headers.accept ?? ''} ${request.headers['sec-fetch-mode'] ?? ''} ${url}`;
    const cached = this.parsed.get(key);
    if (cached !== undefined) return cached;
    const query = parseTableQuery(request, table);
    this.parsed.set(key, query);
    return query;
  }
}
