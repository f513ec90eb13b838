import { type IncomingHttpHeaders } from 'node:http';
import { Problem } from '../http/problem';
import { type QueryParameters } from '../http/query-parameters';

/** The query parameter that holds the key, by group of endpoints. */
const KEY_PARAMETERS = [
  ['/enrich', 'apiKey'],
  ['/data-charts', 'token'],
] as const;

interface KeyedRequest {
  readonly path: string;
  readonly query: QueryParameters;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/**
 * The key of a request: Authorization: Bearer, X-API-Key, or the group's query parameter.
 * @returns undefined if the request has none
 * @throws Problem 400 if the request has more than one, even if they are equal
 */
export function presentedKey(request: KeyedRequest): string | undefined {
  const parameter = KEY_PARAMETERS.find(([group]) => request.path.startsWith(group))?.[1];
  const inQuery = KEY_PARAMETERS.flatMap(([, name]) => request.query[name] ?? []);
  const inHeaders = [...headerValues(request, 'authorization'), ...headerValues(request, 'x-api-key')];
  if (inQuery.length + inHeaders.length > 1)
    throw new Problem('ambiguous-key', 'Send the key once: as Authorization: Bearer, as X-API-Key or in the URL.');
  if (inHeaders.length === 1) return bearerOf(request.headers) ?? headerText(request.headers['x-api-key']);
  const own = parameter && request.query[parameter];
  return typeof own === 'string' && own !== '' ? own : undefined;
}

/** Values of a repeated header, from the raw headers: Node joins or drops repetitions. */
function headerValues({ headers, rawHeaders }: KeyedRequest, name: string): string[] {
  if (headers[name] === undefined) return [];
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1].toLowerCase() === name);
}

const bearerOf = (headers: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

const headerText = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
