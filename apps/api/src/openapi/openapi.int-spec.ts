import { RouteTable } from '../http/route-table';
import { type RunningApi, runningApi } from '../../../../test/support/running-api';

interface Operation {
  readonly summary: string;
  readonly operationId: string;
  readonly security: Record<string, string[]>[];
  readonly parameters: { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, object> }>;
}

interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object>; readonly securitySchemes: Record<string, object> };
}

describe('/openapi.json', () => {
  let api: RunningApi;
  let document: OpenApi;
  beforeAll(async () => {
    api = await runningApi();
    document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenApi;
  }, 60_000);
  afterAll(() => api.close());

  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
    );

  it('describes every route that the router has, and no other', () => {
    const routes = api.app
      .get(RouteTable)
      .routes.filter(({ method }) => method !== 'HEAD')
      .map(({ method, template }) => `${method.toLowerCase()} ${template.replace(/:(\w+)/g, '{$1}')}`);
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...routes].sort());
  });

  it('is OpenAPI 3.1 with a summary, an answer and problems for every operation', () => {
    expect(document.openapi).toBe('3.1.0');
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, { summary, responses }] of operations()) {
      expect(summary).not.toBe('');
      expect(Object.keys(responses).some((status) => status < '400')).toBe(true);
      for (const [status, { content }] of Object.entries(responses))
        if (status >= '400')
          expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
    }
    expect(document.components.schemas.Problem).toMatchObject({ type: 'object' });
  });

  it('knows the key in the query by both names, as a header and as Bearer', () => {
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
      token: { type: 'apiKey', in: 'query', name: 'token' },
      apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
    for (const [name, { security, responses }] of operations()) {
      const keyed = /\/(enrich|data-charts)\/v1\//.test(name) && !name.endsWith('/ask');
      const inQuery = name.includes('/data-charts/') ? 'token' : 'apiKey';
      expect(security.map((one) => Object.keys(one)[0])).toEqual(keyed ? ['bearer', 'apiKeyHeader', inQuery] : []);
      expect(['401', '403', '429'].every((status) => status in responses)).toBe(keyed);
    }
  });

  it('describes endpoint 1 as it is specified', () => {
    const { requestBody, responses } = document.paths['/enrich/v1/age_gender'].post;
    expect(requestBody?.content['application/json'].schema).toMatchObject({
      required: ['queries'],
      properties: { queries: { type: 'array', minItems: 1, items: { required: ['date', 'name'] } } },
    });
    expect(responses['200'].content?.['application/json']).toMatchObject({
      schema: { properties: { results: { items: { properties: { age: {}, gender: {} } } } } },
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '405', '408', '413', '415', '500', '503']));
  });

  it('describes addresses, what becomes of them, and how to wait for them', () => {
    const { parameters, requestBody, responses } = document.paths['/enrich/v1/contributions'].post;
    const queries = requestBody?.content['application/json'].schema as {
      properties: { queries: { items: { properties: Record<string, { description?: string }> } } };
    };
    const { properties } = queries.properties.queries.items;
    for (const part of ['street', 'street_2', 'city', 'state', 'zip'])
      expect(properties[part].description).toBeTruthy();
    expect(responses['200'].content?.['application/json']).toMatchObject({
      schema: {
        properties: {
          results: {
            items: {
              properties: {
                geocode_status: {
                  anyOf: [{ enum: ['MATCH', 'NO_MATCH', 'TIE', 'SKIPPED', 'PENDING'] }, { type: 'null' }],
                },
              },
            },
          },
        },
      },
    });
    expect(parameters.find(({ name }) => name === 'Prefer')).toMatchObject({
      description: expect.stringMatching(/wait=N/),
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['202', '403', '404', '409', '422', '429']));
    const batch = document.paths['/enrich/v1/batches/{id}'].get.responses['200'].content?.['application/json'];
    expect(batch).toMatchObject({
      schema: { required: expect.arrayContaining(['stages', 'addresses', 'waits_for', 'progress']) as string[] },
    });
  });

  it('describes endpoint 6 as it is specified, its parameters as arrays', () => {
    const { parameters, responses } = document.paths['/data-charts/v1/age_distribution/committee'].get;
    const of = (name: string): object | undefined => parameters.find((one) => one.name === name)?.schema;
    expect(of('committee_id')).toMatchObject({ type: 'array', maxItems: 100, items: { type: 'string' } });
    expect(of('cycle')).toMatchObject({ type: 'array', items: { type: 'integer' } });
    expect(Object.keys(responses['200'].content ?? {})).toEqual(['text/csv', 'application/json']);
    expect(responses['304']).toBeDefined();
  });

  it('holds only references that lead somewhere', () => {
    const text = JSON.stringify(document);
    for (const [, reference] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference
        .split('/')
        .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
      expect(target).toBeDefined();
    }
  });
});
