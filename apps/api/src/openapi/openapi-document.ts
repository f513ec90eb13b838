import { z } from 'zod';
import { MOST_FAULTS, type ProblemCode, PROBLEMS } from '../http/problem';
import { type Contents, type QueryParameter, type RoutePolicy } from '../http/route-policy';
import { type KnownRoute } from '../http/route-table';
import { pathParameters } from './path-parameters';

type Json = Record<string, unknown>;

/** Faults that any route may answer with, and those that any route behind a key may. */
const OF_EVERY_ROUTE: readonly ProblemCode[] = ['invalid-request', 'method-not-allowed', 'internal'];
const BEHIND_A_KEY: readonly ProblemCode[] = ['ambiguous-key', 'unauthorized', 'missing-scope', 'rate-limited'];
const WITH_A_BODY: readonly ProblemCode[] = ['request-timeout', 'unsupported-media-type', 'unsupported-encoding'];

const problemSchema = z.object({
  type: z.string().describe('urn:donorlens:problem: and the code.'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
  instance: z.string().optional().describe("The request's id, as in X-Request-Id; a 401 has none."),
  errors: z
    .array(
      z.object({ pointer: z.string().describe('JSON pointer into the body, /path/… or /query/…'), detail: z.string() }),
    )
    .max(MOST_FAULTS)
    .optional(),
});

/** JSON Schema of a zod schema; OpenAPI 3.1 takes it as it is. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const json: Json = { ...z.toJSONSchema(schema, { io, unrepresentable: 'any' }) };
  delete json.$schema; // the document states its dialect once
  return json;
}

const contentOf = (contents: Contents, io: 'input' | 'output'): Json =>
  Object.fromEntries(
    Object.entries(contents).map(([type, schema]) => [
      type,
      { schema: schema === null ? { type: 'string', format: 'binary' } : schemaOf(schema, io) },
    ]),
  );

const parameter = ({ name, description, schema }: QueryParameter, where: 'query' | 'header' | 'path'): Json => ({
  name,
  in: where,
  description,
  required: where === 'path',
  schema: schemaOf(schema, 'input'),
});

function problemsOf(policy: RoutePolicy): ProblemCode[] {
  return [
    ...OF_EVERY_ROUTE,
    ...(policy.access === 'public' ? [] : BEHIND_A_KEY),
    ...(policy.body ? WITH_A_BODY : []),
    ...(policy.problems ?? []),
  ];
}

function errorAnswers(policy: RoutePolicy): Json {
  const codes = problemsOf(policy);
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code][0]))].sort();
  const answerOf = (status: number): Json => ({
    description: codes
      .filter((code) => PROBLEMS[code][0] === status)
      .map((code) => `${code}: ${PROBLEMS[code][1]}.`)
      .join(' '),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  return Object.fromEntries(statuses.map((status) => [String(status), answerOf(status)]));
}

function operationOf({ method, template, policy }: KnownRoute & { readonly policy: RoutePolicy }): Json {
  const answers = Object.entries(policy.answers).map(([status, { description, content }]) => [
    status,
    { description, ...(content && { content: contentOf(content, 'output') }) },
  ]);
  return {
    operationId: operationId(method, template),
    summary: policy.summary,
    tags: [template.split('/')[1] || 'pages'],
    security: policy.access === 'public' ? [] : securityOf(template, policy.access),
    parameters: [
      ...pathParameters(template).map((one) => parameter(one, 'path')),
      ...(policy.query ?? []).map((one) => parameter(one, 'query')),
      ...(policy.headers ?? []).map((one) => parameter(one, 'header')),
    ],
    ...(policy.body && { requestBody: { required: true, content: contentOf(policy.body, 'input') } }),
    responses: { ...Object.fromEntries(answers), ...errorAnswers(policy) },
  };
}

const operationId = (method: string, template: string): string =>
  [method.toLowerCase(), ...template.split(/[^a-zA-Z0-9]+/).filter(Boolean)].join('_');

/** The scope is named in the text of the scheme's requirement, as OpenAPI 3.1 allows for every kind of scheme. */
const securityOf = (template: string, scope: string): Json[] =>
  ['bearer', 'apiKeyHeader', template.startsWith('/data-charts') ? 'token' : 'apiKey'].map((scheme) => ({
    [scheme]: [scope],
  }));

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Preferred.' },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Preferred.' },
  apiKey: {
    type: 'apiKey',
    in: 'query',
    name: 'apiKey',
    description: 'Enrichment endpoints. A key in a URL ends in logs.',
  },
  token: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Data and charts endpoints. A key in a URL ends in logs.',
  },
};

/** The OpenAPI 3.1 document of the routes as the router has them. */
export function openApiDocument(routes: readonly KnownRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const { method, template, policy } of routes) {
    if (policy === undefined || method === 'HEAD') continue;
    const path = template.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf({ method, template, policy }) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'donorlens',
      version: '1',
      description: 'Enriches US political contributions with age, gender, ethnicity, county and income.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: { Problem: schemaOf(problemSchema, 'output') }, securitySchemes: SECURITY_SCHEMES },
  };
}
