import { type FastifyRequest } from 'fastify';
import { closest, distance } from 'fastest-levenshtein';
import { type Fault, invalidRequest } from './problem';
import { type QueryParameter, requestPolicy, type RoutePolicy } from './route-policy';

export type QueryParameters = Readonly<Record<string, string | string[] | undefined>>;

export const MAX_VALUES = 100;
/** Some query parsers silently drop additional pairs; this api rejects them. */
const MAX_PAIRS = 1000;

/** @throws Problem 400 if the query string is not percent-encoded UTF-8 or has too many pairs or values of one name */
export function checkQueryString(url: string, query: QueryParameters): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  if (!isDecodable(url.slice(start)))
    throw invalidRequest([{ pointer: '/query', detail: 'must be percent-encoded UTF-8' }]);
  let pairs = 1;
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) pairs++;
  if (pairs > MAX_PAIRS)
    throw invalidRequest([{ pointer: '/query', detail: `must have at most ${MAX_PAIRS} parameters` }]);
  if (pairs <= MAX_VALUES) return;
  for (const values of Object.values(query))
    if (Array.isArray(values) && values.length > MAX_VALUES)
      throw invalidRequest([{ pointer: '/query', detail: `must have at most ${MAX_VALUES} values of one parameter` }]);
}

function isDecodable(text: string): boolean {
  try {
    return !text.includes('%') || decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Paths that reject unknown parameters. Pages accept them, because links may have parameters of other services. */
const ENDPOINTS = /^\/(enrich|data-charts)\/v1\//;
/** The access hook checks these parameters. */
const ACCESS_PARAMETERS = ['apiKey', 'token', 'csrf'];

/** Maximum edit distance of a suggestion. */
const MAX_DISTANCE = 3;

/** @throws Problem 400 that names each unknown parameter and the closest known one */
export function checkParameterNames(request: FastifyRequest): void {
  const policy = requestPolicy(request);
  if (policy === undefined || !ENDPOINTS.test(request.url)) return;
  const names = Object.keys(request.query as QueryParameters);
  const faults = names.filter((name) => !isKnown(name, policy)).map((name) => unknownParameter(name, policy));
  if (faults.length > 0) throw invalidRequest(faults);
}

/** A parameter of the policy may end with a placeholder: `map.{field}`. */
const isKnown = (name: string, { query = [], pageQuery = [] }: RoutePolicy): boolean =>
  ACCESS_PARAMETERS.includes(name) || pageQuery.includes(name) || query.some((known) => isNamed(known, name));

const isNamed = (known: QueryParameter, name: string): boolean =>
  known.name === name || (known.name.endsWith('}') && name.startsWith(prefixOf(known.name)));

const prefixOf = (name: string): string => name.slice(0, name.indexOf('{'));

/** Snake case or camel case. An error does not repeat other text, which may be a person's name, a key or a URL. */
const PARAMETER_NAME = /^(?!dl_)[a-z]+(_[a-z]+|[A-Z][a-z]+)*$/;
const MAX_PARAMETER_NAME = 40;

const canRepeat = (name: string): boolean => name.length <= MAX_PARAMETER_NAME && PARAMETER_NAME.test(name);

function unknownParameter(name: string, { query = [], headers = [] }: RoutePolicy): Fault {
  const sent = name.toLowerCase();
  const header = headers.find((one) => one.name.toLowerCase() === sent.replaceAll('_', '-'));
  if (header !== undefined) return { pointer: `/query/${sent}`, detail: `must be sent as the header ${header.name}` };
  const [pointer, unknown] = canRepeat(name)
    ? [`/query/${name}`, 'is an unknown parameter']
    : ['/query', 'has an unknown parameter'];
  const names = query.map((known) => known.name);
  if (names.length === 0) return { pointer, detail: `${unknown}: this endpoint has no parameters` };
  const nearest = closest(sent, names);
  const has = `This endpoint accepts ${names.join(', ')}`;
  return distance(sent, nearest) <= Math.min(MAX_DISTANCE, nearest.length / 2)
    ? { pointer: `/query/${name}`, detail: `is an unknown parameter: did you mean ${nearest}? ${has}` }
    : { pointer, detail: `${unknown}. ${has}` };
}

/**
 * Rejects query parameters that were sent as members of a JSON body, where they would have no effect.
 * @param body - any JSON value; only an object has members
 * @param members - members that the body may have even if a parameter has the same name
 * @throws Problem 400 that names each parameter once, even if several members match it
 */
export function checkBodyMembers(request: FastifyRequest, body: unknown, members: readonly string[] = []): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const names = Object.keys(body).filter((name) => !members.includes(name));
  const faults = (requestPolicy(request)?.query ?? []).flatMap((parameter) => {
    const name = names.find((one) => isNamed(parameter, one));
    return name === undefined ? [] : misplaced(parameter, (body as Record<string, unknown>)[name]);
  });
  if (faults.length > 0) throw invalidRequest(faults);
}

/** The error repeats numbers and booleans that the parameter accepts, but no text. */
function misplaced({ name, schema }: QueryParameter, value: unknown): Fault {
  const isRepeated = ['number', 'boolean'].includes(typeof value) && schema.safeParse(value).success;
  return { pointer: `/${name}`, detail: `belongs in the URL: ?${name}=${isRepeated ? String(value) : '…'}` };
}

/** Reads parameters and collects all errors, so that one response lists them all. */
export class ParameterReader {
  private readonly faults: Fault[] = [];

  /** @param bodyMembers - names that are members of a JSON body */
  constructor(
    private readonly query: QueryParameters,
    private readonly bodyMembers: readonly string[] = [],
  ) {}

  text(name: string): string | undefined {
    const value = this.query[name];
    if (Array.isArray(value)) this.addFault(name, 'may be given once');
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** All values of a repeatable parameter, in order. */
  values(name: string): readonly string[] {
    const value = this.query[name];
    if (value === undefined) return [];
    const values = [value].flat();
    if (values.includes('')) this.addFault(name, 'must not be empty');
    return values.filter((one) => one !== '');
  }

  flag(name: string): boolean {
    const value = this.text(name);
    if (value !== undefined && !['true', 'false', '1', '0'].includes(value))
      this.addFault(name, 'must be true or false');
    return value === 'true' || value === '1';
  }

  wholeNumber(name: string, least: number, most: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (number >= least && number <= most) return number;
    this.addFault(name, `must be a whole number from ${least} to ${most}`);
    return undefined;
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    const choice = choices.find((one) => one === value);
    if (value !== undefined && choice === undefined) this.addFault(name, `must be one of ${choices.join(', ')}`);
    return choice;
  }

  addFault(name: string, detail: string): void {
    this.faults.push({ pointer: this.bodyMembers.includes(name) ? `/${name}` : `/query/${name}`, detail });
  }

  addPathFault(name: string, detail: string): void {
    this.faults.push({ pointer: `/path/${name}`, detail });
  }

  /** @throws Problem 400 that lists all invalid parameters */
  finish(): void {
    if (this.faults.length > 0) throw invalidRequest(this.faults);
  }
}
