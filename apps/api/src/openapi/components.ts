import { z } from 'zod';
import { MAX_FAULTS, type ProblemCode, PROBLEMS } from '../http/problem';
import { type RoutePolicy } from '../http/route-policy';

export type Json = Record<string, unknown>;

const OWN = '#/$defs/';
const SHARED = '#/components/schemas/';

/** The named schemas of a document (those with an id in their meta): each is defined once and referenced elsewhere. */
export class Components {
  readonly schemas: Json = {};

  /** JSON Schema of a zod schema; OpenAPI 3.1 takes it as it is. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
    const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const { $defs = {}, ...own } = shared(json) as Json & { $defs?: Json };
    delete own.$schema; // the document states it once
    Object.assign(this.schemas, $defs);
    return own;
  }
}

/** The bounds of safe integers. They are left out, because tools use them in generated examples. */
const isBound = (key: string, value: unknown): boolean =>
  (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER);

/** Rewrites references to the named schemas of the document. */
function shared(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(shared);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).filter(([key, value]) => !isBound(key, value));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? value.replace(OWN, SHARED) : shared(value),
    ]),
  );
}

/** The scope is named in the text of the scheme's requirement, as OpenAPI 3.1 allows for every kind of scheme. */
export const securityOf = (template: string, scope: string): Json[] => [
  ...['bearer', 'apiKeyHeader'].map((scheme) => ({ [scheme]: [scope] })),
  ...(template.startsWith('/enrich') ? [{ apiKey: [scope] }] : []),
  ...(template.startsWith('/data-charts') ? [{ token: [scope] }] : []),
];

const ONE = 'One of the four is enough; two at once are refused.';

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: `Preferred. ${ONE}` },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: `As good. ${ONE}` },
  apiKey: {
    type: 'apiKey',
    in: 'query',
    name: 'apiKey',
    description: `Enrichment endpoints. A key in a URL ends in logs. ${ONE}`,
  },
  token: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: `Data and charts endpoints. A key in a URL ends in logs. ${ONE}`,
  },
};

/** Problems of every route, of routes that need a key, and of routes with a body. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'invalid-request',
  'method-not-allowed',
  'url-too-long',
  'unknown-expectation',
  'headers-too-large',
  'internal',
];
const KEY_PROBLEMS: readonly ProblemCode[] = ['ambiguous-key', 'unauthorized', 'missing-scope', 'rate-limited'];
const BODY_PROBLEMS: readonly ProblemCode[] = ['request-timeout', 'unsupported-media-type', 'unsupported-encoding'];

/** Further members, such as the line of an invalid row, depend on the code. */
export const problemSchema = z
  .looseObject({
    type: z.string().describe('urn:donorlens:problem: and the code.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    instance: z.string().optional().describe("The request's id, as in X-Request-Id; a 401 has none."),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer into the body, /path/… or /query/…'),
          detail: z.string(),
        }),
      )
      .max(MAX_FAULTS)
      .optional(),
  })
  .meta({
    id: 'Problem',
    example: {
      type: 'urn:donorlens:problem:invalid-request',
      title: PROBLEMS['invalid-request'][1],
      status: 400,
      detail: '/queries/0/date must be a real date yyyy-mm-dd.',
      code: 'invalid-request',
      instance: 'urn:uuid:6f2c1f0e-5f4b-4c55-9d3e-2a1b7c8d9e0f',
      errors: [{ pointer: '/queries/0/date', detail: 'must be a real date yyyy-mm-dd' }],
    },
  });

const problemsOf = (policy: RoutePolicy): ProblemCode[] => [
  ...COMMON_PROBLEMS,
  ...(policy.access === 'public' ? [] : KEY_PROBLEMS),
  ...(policy.body ? BODY_PROBLEMS : []),
  ...(policy.problems ?? []),
];

/** Error responses of a route by status. */
export function errorResponses(policy: RoutePolicy, problem: Json): Json {
  const codes = problemsOf(policy);
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code][0]))].sort();
  const answerOf = (status: number): Json => ({
    description: codes
      .filter((code) => PROBLEMS[code][0] === status)
      .map((code) => `${code}: ${PROBLEMS[code][1]}.`)
      .join(' '),
    content: { 'application/problem+json': { schema: problem } },
  });
  return Object.fromEntries(statuses.map((status) => [String(status), answerOf(status)]));
}
