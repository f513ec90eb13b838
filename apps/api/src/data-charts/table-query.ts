import { type FastifyRequest } from 'fastify';
import { preferredType } from '../http/media-types';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type ListParameter } from './list-parameter';
import { type TableFile } from './table-files';

export const FORMATS = ['csv', 'json'] as const;
export type TableFormat = (typeof FORMATS)[number];
const TYPES = { csv: 'text/csv', json: 'application/json' } as const;

/** A checked question to one file. */
export interface TableQuery {
  readonly format: TableFormat;
  readonly raw: boolean;
  /** Sorted, each once. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
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
export function tableQuery(request: FastifyRequest, { own, options }: TableFile): TableQuery {
  const query = request.query as QueryParameters;
  const reader = new ParameterReader(query);
  const lists = readLists(reader, query, own, options);
  requireOne(
    reader,
    query,
    own.map(({ name }) => name),
  );
  const wished = reader.oneOf('format', FORMATS);
  const unguarded = reader.flag('raw');
  reader.finish();
  const format =
    wished ?? (preferredType(request.headers.accept, [TYPES.csv, TYPES.json]) === TYPES.json ? 'json' : 'csv');
  const raw = unguarded && format === 'csv';
  const form: [string, string][] = [['format', format], ...(raw ? [['raw', 'true'] as [string, string]] : [])];
  const pairs = Object.keys(lists)
    .sort()
    .flatMap((name) => lists[name].map((value): [string, string] => [name, value]));
  return { format, raw, lists, canonical: new URLSearchParams([...pairs, ...form]).toString() };
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
