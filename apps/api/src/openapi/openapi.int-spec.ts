import { batchSchema } from '../batches/batch-wire';
import { RouteTable } from '../http/route-policy';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

interface Operation {
  readonly summary: string;
  readonly tags: string[];
  readonly operationId: string;
  readonly security: Record<string, string[]>[];
  readonly parameters: { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, object> }>;
}

interface OpenApi {
  readonly openapi: string;
  readonly tags: { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object>; readonly securitySchemes: Record<string, object> };
}

/** Replaces every reference to a named schema with the schema. */
function inlined(node: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(node)) return node.map((one) => inlined(one, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if ($ref !== undefined) return inlined(schemas[$ref.replace('#/components/schemas/', '')], schemas);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, schemas)]));
}

describe('/openapi.json', () => {
  let api: RunningApi;
  let document: OpenApi;
  beforeAll(async () => {
    api = await runningApi();
    document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenApi;
  });
  afterAll(() => api.close());

  const described = (path: string, method: string): Operation =>
    inlined(document.paths[path][method], document.components.schemas) as Operation;
  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
    );

  /** Documented routes in the notation of Fastify. */
  const documented = (): Set<string> =>
    new Set(
      operations().map(([name]) => name.replace(/^\w+/, (method) => method.toUpperCase()).replace(/\{(\w+)\}/g, ':$1')),
    );

  it('describes only routes of the router', () => {
    const routes = new Set(api.app.get(RouteTable).routes.map(({ method, template }) => `${method} ${template}`));
    expect([...documented()].filter((name) => !routes.has(name))).toEqual([]);
  });

  it('describes every route of the two groups except redirects', () => {
    const groups = api.app
      .get(RouteTable)
      .routes.filter(({ method, template }) => method !== 'HEAD' && /^\/(enrich|data-charts)\/v1\//.test(template))
      .map(({ method, template }) => `${method} ${template}`);
    expect(groups.length).toBeGreaterThan(15);
    expect(groups.filter((name) => !documented().has(name))).toEqual([
      'GET /enrich/v1/age_gender/ask',
      'GET /enrich/v1/ethnicity/ask',
    ]);
  });

  it('omits only other routes that serve pages, parts of pages and redirects', () => {
    const left = api.app
      .get(RouteTable)
      .routes.filter(({ method, template }) => method !== 'HEAD' && !documented().has(`${method} ${template}`));
    expect(left.length).toBeGreaterThan(2);
    for (const { template, policy } of left.filter((route) => !route.template.includes('*') && !route.policy?.form))
      for (const [status, { content }] of Object.entries(policy?.answers ?? {}))
        for (const type of Object.keys(content ?? {}))
          expect([template, status, type]).toEqual([
            template,
            expect.stringMatching(/^[23]/),
            expect.stringMatching(/^(text\/(html|css|javascript)|image\/svg\+xml)$/),
          ]);
  });

  it('omits routes that only forms of pages use', () => {
    const forms = api.app
      .get(RouteTable)
      .routes.filter(({ policy }) => policy?.form)
      .map(({ method, template }) => `${method} ${template}`);
    expect(forms).toContain('POST /upload/start');
    expect(forms.filter((name) => documented().has(name))).toEqual([]);
  });

  it('has an example of a batch with consistent counts, and no bounds of safe integers', () => {
    const { examples } = document.components.schemas.Batch as { examples: unknown[] };
    const { counts, stages, addresses, progress } = batchSchema.strict().parse(examples[0]);
    const { total, done, ...outcomes } = counts as Record<string, number>;
    const { pending, ...settled } = addresses;
    const sum = (numbers: object): number => Object.values<number>({ ...numbers }).reduce((a, b) => a + b);
    expect([sum(outcomes), stages.enriched.done, stages.geocoded?.done]).toEqual([done, done, done - pending]);
    expect(sum(settled) + pending).toBe(total - outcomes.invalid);
    expect(progress).toBe((done + done - pending) / (2 * total));
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it('is OpenAPI 3.1 with a summary, a success response and problems for every operation', () => {
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

  it('lists the problems of any request, and those of a bulk request that becomes a batch', () => {
    for (const [, { responses }] of operations())
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '405', '414', '417', '431']));
    for (const path of ['age_gender', 'ethnicity', 'contributions', 'batches'])
      expect(Object.keys(document.paths[`/enrich/v1/${path}`].post.responses)).toEqual(
        expect.arrayContaining(['409', '422', '429']),
      );
  });

  it('allows additional members of a problem', () => {
    expect(document.components.schemas.Problem).toMatchObject({ additionalProperties: {} });
  });

  it('does not describe JSON as bytes', () => {
    for (const [, { responses }] of operations())
      for (const { content } of Object.values(responses))
        expect(content?.['application/json'] ?? {}).not.toMatchObject({ schema: { format: 'binary' } });
  });

  it('describes every member of the distribution of a name', async () => {
    const answer = await api.send('/enrich/v1/age_gender/name/Mary/date/2017-07-01?format=json&detail=true');
    const { responses } = described('/enrich/v1/age_gender/name/{name}/date/{date}', 'get');
    const content = responses['200'].content?.['application/json'] as { schema: { properties: object } };
    const members = Object.keys((await answer.json()) as object);
    expect(members).toContain('living_by_year_m');
    expect(members.filter((name) => !Object.hasOwn(content.schema.properties, name))).toEqual([]);
  });

  it('describes the key as a query parameter with both names, as a header and as Bearer', () => {
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
      token: { type: 'apiKey', in: 'query', name: 'token' },
      apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
    for (const [name, { security, responses }] of operations()) {
      const inQuery = name.includes(' /enrich/') ? ['apiKey'] : name.includes(' /data-charts/') ? ['token'] : [];
      const keyed = security.length > 0;
      expect(keyed || inQuery.length === 0).toBe(true);
      expect(security.map((one) => Object.keys(one)[0])).toEqual(keyed ? ['bearer', 'apiKeyHeader', ...inQuery] : []);
      expect(['401', '403', '429'].every((status) => status in responses)).toBe(keyed);
    }
  });

  it('describes endpoint 1 as it is specified', () => {
    const { requestBody, responses } = described('/enrich/v1/age_gender', 'post');
    expect(requestBody?.content['application/json'].schema).toMatchObject({
      required: ['queries'],
      properties: { queries: { type: 'array', minItems: 1, items: { required: ['date', 'name'] } } },
    });
    expect(responses['200'].content?.['application/json']).toMatchObject({
      schema: { properties: { results: { items: { properties: { age: {}, gender: {} } } } } },
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '405', '408', '413', '415', '500', '503']));
  });

  it('describes addresses, their outcomes, and the preference to wait for them', () => {
    const { parameters, requestBody, responses } = described('/enrich/v1/contributions', 'post');
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
    const batch = described('/enrich/v1/batches/{id}', 'get').responses['200'].content?.['application/json'];
    expect(batch).toMatchObject({
      schema: { required: expect.arrayContaining(['stages', 'addresses', 'waits_for', 'progress']) as string[] },
    });
  });

  it('describes endpoint 6 as it is specified, with its parameters as arrays', () => {
    const { parameters, responses } = described('/data-charts/v1/age_distribution/committee', 'get');
    const of = (name: string): object | undefined => parameters.find((one) => one.name === name)?.schema;
    expect(of('committee_id')).toMatchObject({ type: 'array', maxItems: 100, items: { type: 'string' } });
    expect(of('cycle')).toMatchObject({ type: 'array', items: { type: 'integer' } });
    expect(Object.keys(responses['200'].content ?? {})).toEqual(
      expect.arrayContaining(['text/csv', 'application/json']),
    );
    expect(responses['304']).toBeDefined();
  });

  it('has its operations in described groups, with Lookups first', () => {
    const names = document.tags.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['Lookups', 'Batches', 'Data and charts']);
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
    expect(new Set(operations().flatMap(([, { tags }]) => tags))).toEqual(new Set(names));
  });

  it('defines each named schema once', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['AgeGenderResult', 'EthnicityResult', 'ContributionResult', 'Batch', 'Problem']),
    );
    expect(document.paths['/enrich/v1/batches'].post.responses['202'].content?.['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/Batch' },
    });
  });

  it('contains only references that can be resolved', () => {
    const text = JSON.stringify(document);
    for (const [, reference] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference
        .split('/')
        .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
      expect(target).toBeDefined();
    }
  });
});
