import { z } from 'zod';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type RoutePolicy, type QueryParameter, type Contents, type KnownRoute } from '../http/route-policy';
import { BATCH_ID } from '../schemas/examples';
import { Components, type Json, SECURITY_SCHEMES, securityOf, errorResponses, problemSchema } from './components';

/** Types of pages and their parts. */
const PAGE_TYPES = /^(text\/(html|css|javascript)|image\/|font\/)/;
/** The two groups of endpoints, all of which are part of the contract with clients. */
const CLIENT_API = /^\/(enrich|data-charts)\/v\d+\//;

export type DocumentedRoute = KnownRoute & { readonly policy: RoutePolicy };

/**
 * True if the document describes the route: all routes of the two groups, and others if they return more than pages,
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
    name: 'Questions',
    description:
      'One name, or many records at once: age and gender of a first name at a date, ethnicity of a surname, everything about a contribution. Scope enrich:read.',
  },
  {
    prefix: '/enrich/v1/batches',
    name: 'Batches',
    description:
      'Whole files of any size: send one, ask how far it is, read the results. An example id here stands for the batch that you sent last. Scope enrich:batch.',
  },
  {
    prefix: '/data-charts/v1',
    name: 'Data and charts',
    description:
      'Candidates for President (with `office` for Senate and House), their committees, contributions and charts as CSV or JSON. Scope charts:read; contributions row by row need charts:rows.',
  },
  { prefix: '/ops', name: 'Operations', description: "The operators' side. Scope ops." },
  { prefix: '', name: 'Service', description: 'What the service says about itself.' },
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

/** Writes routes as operations. */
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

/** The schema of content without a schema: any JSON, text or bytes. */
const opaque = (type: string): Json => {
  if (type === 'application/json') return {};
  return /^text\/|\+xml$|ndjson$/.test(type) ? { type: 'string' } : { type: 'string', format: 'binary' };
};

const operationId = (method: string, template: string): string =>
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
    const path = route.template.replace(/:(\w+)/g, '{$1}');
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
