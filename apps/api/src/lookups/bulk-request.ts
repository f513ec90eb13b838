import { Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type z } from 'zod';
import { CONFIG, type Config } from '@donorlens/config';
import { type AgeBasis } from '@donorlens/demographics';
import { checkShape, jsonText } from '../http/json-body';
import { type Fault, Problem, clientDisconnected, invalidRequest } from '../http/problem';
import { ParameterReader, type QueryParameters, checkBodyMembers } from '../http/query-parameters';
import { readBody } from '../http/request-body';
import { ITEMS_PER_YIELD, yieldToEventLoop } from '../http/request-scheduling';
import { ageParameters } from '../schemas/parameters';

export interface Preferences {
  readonly respondAsync: boolean;
  /** Seconds that the client prefers to wait instead of a 202. */
  readonly waitSeconds: number | undefined;
}

/** Reads `Prefer: respond-async, wait=10` (RFC 7240). Unknown preferences are ignored, as RFC 7240 requires. */
export function preferencesOf(header: string | string[] | undefined): Preferences {
  const wishes = [header ?? []]
    .flat()
    .join(',')
    .split(/[,;]/)
    .map((wish) => wish.trim().toLowerCase());
  const wait = wishes.find((wish) => /^wait\s*=\s*"?\d+"?$/.test(wish));
  return {
    respondAsync: wishes.includes('respond-async'),
    waitSeconds: wait === undefined ? undefined : Number(wait.replace(/\D/g, '')),
  };
}

/** Maximum size of a bulk request, decompressed. */
const MAX_BULK_BYTES = 5 * 1024 * 1024;
/** 5 MB contain 150,000 of the shortest queries, or 15,000 with every field. */
const MAX_BULK = { containers: 200_000, values: 1_000_000 };

/** Size of some 300 queries. Longer requests yield first, so that a short request waits for at most one of them. */
const MAX_UNSCHEDULED_BYTES = 16 * 1024;

export async function readBulk(request: FastifyRequest): Promise<string> {
  const body = await readBody(request, {
    ...MAX_BULK,
    maxBytes: MAX_BULK_BYTES,
    advice: 'POST /enrich/v1/batches takes files of up to 2 GB.',
  });
  if (body.length > MAX_UNSCHEDULED_BYTES) {
    await yieldToEventLoop();
    if (request.raw.socket.destroyed) throw clientDisconnected();
  }
  return jsonText(body);
}

export interface LookupOptions {
  readonly detail: boolean;
  readonly minAge: number;
  readonly ageBasis: AgeBasis;
}

/**
 * Reads `?detail=true`, `?min_age=18` and `?age_basis=adult`.
 * @param more - reads additional parameters of an endpoint
 * @throws Problem 400
 */
export function lookupOptions<More extends object>(
  request: FastifyRequest,
  more: (parameters: ParameterReader) => More = () => ({}) as More,
): LookupOptions & More {
  const parameters = new ParameterReader(request.query as QueryParameters);
  const { minAge = 0, ageBasis } = ageParameters(parameters);
  const options = { detail: parameters.flag('detail'), minAge, ageBasis };
  const further = more(parameters);
  parameters.finish();
  return { ...options, ...further };
}

/** Levels of JSON around a query: the body and its list. */
export const QUERY_DEPTH = 2;

/** Returns the queries of a bulk body. The caller validates the items. @throws Problem 400 */
export function queriesOf(body: unknown, schema: z.ZodType, request: FastifyRequest): unknown[] {
  const queries = (body as { queries?: unknown } | null)?.queries;
  if (!Array.isArray(queries) || queries.length === 0) throw invalidBodyProblem(body, schema);
  if (Object.keys(body as object).length > 1) {
    checkShape(body);
    checkBodyMembers(request, body);
  }
  return queries;
}

/** Lists all errors of a body that the fast check has rejected. */
export function invalidBodyProblem(body: unknown, schema: z.ZodType): Problem {
  checkShape(body);
  const parsed = schema.safeParse(body, { error: faultMessages });
  if (parsed.success) throw new Error('the fast check and the schema disagree');
  return invalidRequest(parsed.error.issues.map(faultOf));
}

/** JSON pointer of RFC 6901. */
const faultOf = ({ path, message }: z.core.$ZodIssue): Fault => ({
  pointer: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  detail: message,
});

/** Limits of synchronous bulk requests. */
@Injectable()
export class BulkLimits {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Maximum number of queries in one request. */
  get maxQueries(): number {
    return this.config.maxSyncQueries;
  }

  /**
   * True if the queries become a batch: the client prefers `respond-async`, and either does not wait or sends more
   * queries than a synchronous request may have (RFC 7240).
   */
  isBatch({ headers }: FastifyRequest, queries: readonly unknown[]): boolean {
    const { respondAsync, waitSeconds = 0 } = preferencesOf(headers.prefer);
    return respondAsync && (waitSeconds < 1 || queries.length > this.maxQueries);
  }

  /** @throws Problem 413 that names the batch endpoint as the alternative */
  check(queries: readonly unknown[]): void {
    const { maxQueries } = this;
    if (queries.length <= maxQueries) return;
    throw new Problem(
      'too-many-queries',
      `At most ${maxQueries} queries are answered at once. Send more to POST /enrich/v1/batches, or send Prefer: respond-async.`,
      { headers: { link: '</enrich/v1/batches>; rel="alternate"' }, members: { limit: maxQueries } },
    );
  }
}

/** Includes the charset, because Fastify adds it only to strings and not to buffers. */
export const JSON_UTF8 = 'application/json; charset=utf-8';

/** JSON text of 0 to 100 in hundredths. Formatting each number of a bulk response would be slower. */
export const HUNDREDTHS: readonly string[] = Array.from({ length: 10_001 }, (_, hundredths) =>
  String(hundredths / 100),
);

/**
 * The body of a bulk response, `{"results":[…]}` in UTF-8. After each 1,000 results it yields to the event loop and
 * converts their text to bytes, because long concatenated strings use more memory.
 * @param isEnd - true if no query is left; `at` is the number of results so far
 * @param resultOf - JSON text of the next result; undefined if the query is invalid
 * @returns undefined if a query is invalid
 */
export async function bulkAnswer(
  isEnd: (at: number) => boolean,
  resultOf: (at: number) => string | undefined,
): Promise<string | Buffer | undefined> {
  const parts: Buffer[] = [];
  let text = '{"results":[';
  for (let at = 0; !isEnd(at); at++) {
    if (at > 0 && at % ITEMS_PER_YIELD === 0) {
      parts.push(Buffer.from(text));
      text = '';
      await yieldToEventLoop();
    }
    const result = resultOf(at);
    if (result === undefined) return undefined;
    text += at > 0 ? `,${result}` : result;
  }
  text += ']}';
  return parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)]);
}

type RawIssue<Code extends z.core.$ZodIssueCode> = Extract<z.core.$ZodRawIssue, { code: Code }>;

/** Names of JSON types in messages. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Units of lengths. */
const COUNTED: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a real date yyyy-mm-dd',
  datetime: 'a time as in 2020-11-03T12:00:00Z',
  uuid: 'a UUID',
  url: 'a URL',
};

function bound(
  origin: string,
  limit: number | bigint,
  labels: readonly [inclusive: string, exclusive: string],
  isInclusive = true,
) {
  const counted = COUNTED[origin];
  const number = Number(limit);
  if (counted === undefined) return `must be ${labels[isInclusive ? 0 : 1]} ${number}`;
  return `must have ${labels[isInclusive ? 0 : 1]} ${number} ${counted[number === 1 ? 0 : 1]}`;
}

/** A message for each issue code; the type requires all codes. */
const MESSAGES: { readonly [Code in z.core.$ZodIssueCode]: (issue: RawIssue<Code>) => string } = {
  invalid_type: ({ input, expected }) =>
    input === undefined ? 'is needed' : `must be ${KINDS[expected] ?? 'of another kind'}`,
  too_big: ({ origin, maximum, inclusive }) => bound(origin, maximum, ['at most', 'less than'], inclusive),
  too_small: ({ origin, minimum, inclusive }) => bound(origin, minimum, ['at least', 'more than'], inclusive),
  invalid_format: ({ format }) => `must be ${FORMATS[format] ?? 'written in another way'}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  invalid_value: ({ input, values }) =>
    input === undefined ? 'is needed' : `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`,
  // The message omits the names of the keys, because they are input.
  unrecognized_keys: ({ keys }) => (keys.length === 1 ? 'has a key that is not known' : 'has keys that are not known'),
  invalid_key: () => 'has a key that is not known',
  invalid_element: () => 'has an entry that is not valid',
  invalid_union: ({ input, errors = [] }) =>
    input === undefined ? 'is needed' : eitherOf(errors.flatMap(([first]) => first?.message ?? [])),
  custom: () => 'is not valid',
};

const eitherOf = (messages: readonly string[]): string => [...new Set(messages)].join(', or ') || 'is not valid';

/**
 * The message for an invalid value. It states what is expected, never the value. Messages of a schema take precedence.
 */
export function faultMessages(issue: z.core.$ZodRawIssue): string {
  const message = MESSAGES[issue.code] as (one: z.core.$ZodRawIssue) => string; // the code selects the type of the issue
  return message(issue);
}
