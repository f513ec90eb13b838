import { z } from 'zod';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type Contents, type KnownRoute, type QueryParameter, type RoutePolicy } from '../http/route-policy';
import { BATCH_ID } from '../schemas/examples';
import { MAX_FAULTS, PROBLEMS, type ProblemCode } from '../http/problem';

type Json = Record<string, unknown>;

const OWN = '#/$defs/';
const SHARED = '#/components/schemas/';

/** The named schemas of a document (those with an id in their meta). Each is defined once and referenced elsewhere. */
class Components {
  readonly schemas: Json = {};

  /** JSON Schema of a zod schema; OpenAPI 3.1 accepts it unchanged. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
    const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const { $defs = {}, ...own } = shared(json) as Json & { $defs?: Json };
    delete own.$schema; // the document contains it once
    Object.assign(this.schemas, $defs);
    return own;
  }
}

/** True for the bounds of safe integers. They are left out, because tools use them in generated examples. */
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

/** Security requirements with the scope, which OpenAPI 3.1 allows for every kind of scheme. */
export const securityOf = (template: string, scope: string): Json[] => [
  ...['bearer', 'apiKeyHeader'].map((scheme) => ({ [scheme]: [scope] })),
  ...(template.startsWith('/enrich') ? [{ apiKey: [scope] }] : []),
  ...(template.startsWith('/data-charts') ? [{ token: [scope] }] : []),
];

const ONE = 'Send exactly one of the listed methods; a request with two keys is refused.';

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: `Preferred. ${ONE}` },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: `Equivalent to Bearer. ${ONE}` },
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

/** Additional members, such as the line of an invalid row, depend on the code. */
const problemSchema = z
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
function errorResponses(policy: RoutePolicy, problem: Json): Json {
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

/** Media types of pages and their parts. */
const PAGE_TYPES = /^(text\/(html|css|javascript)|image\/|font\/)/;
/** The two endpoint groups that form the client API. */
const CLIENT_API = /^\/(enrich|data-charts)\/v\d+\//;

export type DocumentedRoute = KnownRoute & { readonly policy: RoutePolicy };

/**
 * True if the document describes the route: all routes of the client API, and others if they return more than pages,
 * their parts and redirects. Routes for forms of pages and routes with a wildcard are left out.
 */
export function isDocumented(route: KnownRoute): route is DocumentedRoute {
  const { method, template, policy } = route;
  if (policy === undefined || policy.form || method === 'HEAD' || template.includes('*')) return false;
  const successes = Object.entries(policy.answers).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, { content }]) => Object.keys(content ?? {}));
  return successes.length > 0 && (CLIENT_API.test(template) || types.some((type) => !PAGE_TYPES.test(type)));
}

const DESCRIBED: Readonly<Record<string, Omit<QueryParameter, 'name'>>> = {
  name: { description: 'First name.', schema: z.string().max(200), example: 'Thomas' },
  date: { description: 'Reference date, yyyy-mm-dd.', schema: z.iso.date(), example: '2017-07-01' },
  surname: { description: 'Surname.', schema: z.string().max(200), example: 'Garcia' },
  year: { description: 'Year, yyyy.', schema: z.int().min(FIRST_YEAR).max(LAST_YEAR), example: 2016 },
  id: {
    description: "The batch's id, as in the answer to POST /enrich/v1/batches.",
    schema: z.uuid(),
    example: BATCH_ID,
  },
};

/** The path parameters of a route. @throws Error if one has no description */
export function pathParameters(template: string): QueryParameter[] {
  return [...template.matchAll(/:(\w+)/g)].map(([, name]) => {
    const described = DESCRIBED[name];
    if (described === undefined) throw new Error(`path parameter ${name} is not described`);
    return { name, ...described };
  });
}

/** Tags in the order of the API page. A route has the tag of the longest matching prefix. */
const TAGS = [
  {
    prefix: '/enrich/v1',
    name: 'Lookups',
    description:
      'Age and gender of first names, ethnicity of surnames, and all fields of contributions, for one name or many records. Scope enrich:read.',
  },
  {
    prefix: '/enrich/v1/batches',
    name: 'Batches',
    description:
      'Files of up to 2 GB: send one, follow its progress, read the results. In the forms, the example ID becomes that of the batch that you sent last. Scope enrich:batch.',
  },
  {
    prefix: '/data-charts/v1',
    name: 'Data and charts',
    description:
      'Candidates for President (with `office` for Senate and House), their committees, contributions and charts as CSV or JSON. Scope charts:read; contributions row by row need charts:rows.',
  },
  { prefix: '/ops', name: 'Operations', description: 'State of the service, for operators. Scope ops.' },
  { prefix: '', name: 'Service', description: 'Health, metrics and the OpenAPI document.' },
] as const;

const holds = (prefix: string, template: string): boolean =>
  prefix === '' || template === prefix || template.startsWith(`${prefix}/`);

/** The tag of a route. */
export function tagOf(template: string): string {
  const [group] = TAGS.filter(({ prefix }) => holds(prefix, template)).sort(
    (a, b) => b.prefix.length - a.prefix.length,
  );
  return group.name;
}

/** The tags of these routes. */
export function tagsOf(templates: readonly string[]): { name: string; description: string }[] {
  const used = new Set(templates.map(tagOf));
  return TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
}

type Examples = Readonly<Record<string, unknown>>;

/** Converts routes to operations. */
class OperationWriter {
  readonly components = new Components();

  constructor(private readonly examples: Examples) {}

  operationOf({ method, template, policy }: DocumentedRoute): Json {
    const { body, example, query = [], headers = [] } = policy;
    return {
      operationId: operationId(method, template),
      summary: policy.summary,
      tags: [tagOf(template)],
      security: policy.access === 'public' ? [] : securityOf(template, policy.access),
      parameters: [
        ...pathParameters(template).map((one) => this.parameter(one, 'path')),
        ...query.map((one) => this.parameter(one, 'query')),
        ...headers.map((one) => this.parameter(one, 'header')),
      ],
      ...(body && { requestBody: { required: true, content: this.contentOf(body, 'input', example) } }),
      responses: { ...this.answersOf(policy), ...this.errorsOf(policy) },
    };
  }

  private parameter({ name, description, schema, example }: QueryParameter, where: 'query' | 'header' | 'path'): Json {
    const works = where === 'query' && Object.hasOwn(this.examples, name) ? this.examples[name] : example;
    return {
      name,
      in: where,
      description,
      required: where === 'path',
      schema: this.components.schemaOf(schema, 'input'),
      ...(works !== undefined && { example: works }),
    };
  }

  private contentOf(contents: Contents, io: 'input' | 'output', examples: Examples = {}): Json {
    return Object.fromEntries(
      Object.entries(contents).map(([type, schema]) => [
        type,
        {
          schema: schema === null ? opaque(type) : this.components.schemaOf(schema, io),
          ...(Object.hasOwn(examples, type) && { example: examples[type] }),
        },
      ]),
    );
  }

  private answersOf({ answers }: RoutePolicy): Json {
    return Object.fromEntries(
      Object.entries(answers).map(([status, { description, content, example }]) => [
        status,
        { description, ...(content && { content: this.contentOf(content, 'output', example) }) },
      ]),
    );
  }

  private errorsOf(policy: RoutePolicy): Json {
    return errorResponses(policy, this.components.schemaOf(problemSchema, 'output'));
  }
}

/** Default schema of content without one: any JSON, text or bytes. */
const opaque = (type: string): Json => {
  if (type === 'application/json') return {};
  return /^text\/|\+xml$|ndjson$/.test(type) ? { type: 'string' } : { type: 'string', format: 'binary' };
};

/** The path with parameters in braces. */
export const pathOf = (template: string): string => template.replace(/:(\w+)/g, '{$1}');

/** Swagger UI uses it in the anchor of the operation. */
export const operationId = (method: string, template: string): string =>
  [method.toLowerCase(), ...template.split(/[^a-zA-Z0-9]+/).filter(Boolean)].join('_');

/**
 * The OpenAPI 3.1 document of the registered routes.
 * @param examples - values of query parameters by name that match the loaded data
 */
export function openApiDocument(routes: readonly KnownRoute[], examples: Examples): Json {
  const documented = routes.filter(isDocumented);
  const writer = new OperationWriter(examples);
  const paths: Record<string, Json> = {};
  for (const route of documented) {
    const path = pathOf(route.template);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: writer.operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'donorlens',
      version: '1',
      description:
        'Enriches US political contributions with age, gender, ethnicity, county and income, and serves charts of donors to federal candidates. Choose **Authorize**, enter a key once, and every example below works as it stands.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Guide to the API', url: '/guide/api' },
    servers: [{ url: '/' }],
    tags: tagsOf(documented.map(({ template }) => template)),
    paths,
    components: { schemas: writer.components.schemas, securitySchemes: SECURITY_SCHEMES },
  };
}
