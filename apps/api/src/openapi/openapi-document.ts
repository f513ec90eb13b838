import { type Contents, type QueryParameter, type RoutePolicy } from '../http/route-policy';
import { type KnownRoute } from '../http/route-table';
import { Components, type Json } from './components';
import { type DocumentedRoute, isDocumented } from './documented';
import { errorAnswers, problemSchema } from './error-answers';
import { pathParameters } from './path-parameters';
import { SECURITY_SCHEMES, securityOf } from './security';
import { tagOf, tagsOf } from './tags';

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
    return errorAnswers(policy, this.components.schemaOf(problemSchema, 'output'));
  }
}

/** What no schema describes: any JSON, text, or bytes. */
const opaque = (type: string): Json => {
  if (type === 'application/json') return {};
  return /^text\/|\+xml$|ndjson$/.test(type) ? { type: 'string' } : { type: 'string', format: 'binary' };
};

const operationId = (method: string, template: string): string =>
  [method.toLowerCase(), ...template.split(/[^a-zA-Z0-9]+/).filter(Boolean)].join('_');

/**
 * The OpenAPI 3.1 document of the routes as the router has them.
 * @param examples values of query parameters that find something in the data that are loaded, by name
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
        'Enriches US political contributions with age, gender, ethnicity, county and income, and serves charts of presidential donors. Choose **Authorize**, enter a key once, and every example below works as it stands.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Guide to the API', url: '/guide/api' },
    servers: [{ url: '/' }],
    tags: tagsOf(documented.map(({ template }) => template)),
    paths,
    components: { schemas: writer.components.schemas, securitySchemes: SECURITY_SCHEMES },
  };
}
