import { type IncomingHttpHeaders } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { isNavigation, preferredType } from '../http/media-types';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type ListParameter, NAME_PART } from './list-parameter';
import { TYPES, type TableFormat } from './table-format';
import { type TableFile } from './table-files';

/** A checked question to one file. */
export interface TableQuery {
  readonly format: TableFormat;
  readonly raw: boolean;
  /** Sorted, each once. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Of a page: whom it is to find by name, beside what it shows. */
  readonly nameParts: readonly string[];
  /** The same text for every way to ask the same: sorted parameters, each value once, the form of the answer. */
  readonly canonical: string;
}

/** Every name that one of the files knows: given to another, it would be passed over without a word. */
const KNOWN = [
  'committee_id',
  'candidate_id',
  'cycle',
  'name_part',
  'by',
  'basis',
  'date_from',
  'date_to',
  'after',
  'limit',
];

/** @throws Problem 400 */
export function tableQuery(request: FastifyRequest, { own, options, formats }: TableFile): TableQuery {
  const sent = request.query as QueryParameters;
  const format = formats.find((one) => one === sent.format) ?? acceptedFormat(request.headers, formats);
  const isPage = format === 'html';
  const query = isPage ? asForm(sent, own[0]) : sent;
  const reader = new ParameterReader(query);
  const lists = readLists(reader, query, own, options, isPage ? [NAME_PART.name] : []);
  const nameParts = isPage ? readList(reader, NAME_PART) : [];
  const names = own.map(({ name }) => name);
  if (!isPage) requireOne(reader, query, names); // a page can ask for what is missing
  reader.oneOf('format', formats);
  const unguarded = reader.flag('raw');
  reader.finish();
  const raw = unguarded && format === 'csv';
  const form: [string, string][] = [['format', format], ...(raw ? [['raw', 'true'] as [string, string]] : [])];
  const pairs = Object.keys(lists)
    .sort()
    .flatMap((name) => lists[name].map((value): [string, string] => [name, value]));
  return { format, raw, lists, nameParts, canonical: new URLSearchParams([...pairs, ...form]).toString() };
}

/** A browser that opens a link gets the file, whatever it says that it likes; the page is for who asks for it. */
function acceptedFormat(headers: IncomingHttpHeaders, formats: readonly TableFormat[]): TableFormat {
  const offers = isNavigation(headers) ? formats.filter((one) => one === 'csv' || one === 'json') : formats;
  const type = preferredType(headers.accept, offers.map((one) => TYPES[one]) as [string, ...string[]]); // never empty
  return offers.find((one) => TYPES[one] === type) ?? 'csv';
}

/** A form sends the fields that were left empty, too, and has one field for names and ids. */
function asForm(query: QueryParameters, ids: ListParameter): QueryParameters {
  const filled = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => {
      const isId = name === NAME_PART.name && 'value' in ids.read(one.trim());
      return isId ? [ids.name, one.trim()] : [name, one];
    }),
  );
  const form = new Map<string, string[]>();
  for (const [name, value] of filled) if (value.trim() !== '') form.set(name, [...(form.get(name) ?? []), value]);
  return Object.fromEntries([...form].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

/** The lists of a route and what is wrong with them; the caller finishes the reader. */
export function readLists(
  reader: ParameterReader,
  query: QueryParameters,
  own: readonly ListParameter[],
  options: readonly ListParameter[],
  others: readonly string[] = [],
): Record<string, readonly string[]> {
  const lists: Record<string, readonly string[]> = {};
  for (const parameter of [...own, ...options]) lists[parameter.name] = readList(reader, parameter);
  const names = [...own, ...options].map(({ name }) => name);
  for (const name of KNOWN)
    if (query[name] !== undefined && !names.includes(name) && !others.includes(name))
      reader.wrong(name, `is no parameter of this address; it knows ${[...names, ...others].join(', ')}`);
  return lists;
}

function readList(reader: ParameterReader, { name, most, read }: ListParameter): string[] {
  const sent = reader.values(name);
  if (sent.length > most) {
    reader.wrong(name, most === 1 ? 'may be given once' : `may have at most ${most} values`);
    return [];
  }
  const values = new Set<string>();
  for (const text of sent) {
    const answer = read(text);
    if ('fault' in answer) reader.wrong(name, answer.fault);
    else values.add(answer.value);
  }
  return [...values].sort();
}

/** A question without any condition would be one for everything. */
export function requireOne(reader: ParameterReader, query: QueryParameters, names: readonly string[]): void {
  if (names.some((name) => query[name] !== undefined)) return;
  reader.wrong(names[0], `at least one of ${names.join(', ')} is needed`);
}
