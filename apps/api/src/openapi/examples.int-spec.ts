import { gzipSync } from 'node:zlib';
import { read, write } from '@e965/xlsx';
import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { TABLE_FILE_TYPES } from '@donorlens/tabular';
import { type Pool } from 'pg';
import { storeCampaign } from '../../../../test/support/fec-data/campaign';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { BATCH_ID, CONTRIBUTIONS_CSV } from '../schemas/examples';

type Contents = Record<string, { readonly schema: object; readonly example?: unknown }>;

type Value = string | number | boolean;

interface Operation {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly example?: Value | Value[] }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Record<string, { readonly content?: Contents }>;
}

/** Bodies of bytes, which a document cannot contain. They hold the file of another example. */
const FILES: Record<string, () => BodyInit> = {
  'multipart/form-data': () => {
    const form = new FormData();
    form.append('file', new Blob([CONTRIBUTIONS_CSV]), 'contributions.csv');
    return form;
  },
  'application/gzip': () => gzipSync(CONTRIBUTIONS_CSV),
  [TABLE_FILE_TYPES.xlsx]: () =>
    write(read(CONTRIBUTIONS_CSV, { type: 'string', raw: true }), { type: 'buffer' }) as Buffer<ArrayBuffer>,
};

describe('the examples of /openapi.json', () => {
  let api: RunningApi;
  let operations: Operation[];
  beforeAll(async () => {
    api = await runningApi();
    await storeCampaign(api.app.get<Pool>(PG_POOL));
    await api.app.get(ChartVersionWatch).refreshNow();
    const { paths } = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Omit<Operation, 'name'>>>;
    };
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, rest]) => ({ ...rest, name: `${method} ${path}` })),
    );
  });
  afterAll(() => api.close());

  /** Id of a completed batch without pending addresses, for requests that read, repeat or delete it. */
  async function finishedBatch(): Promise<string> {
    const answer = await api.post('/enrich/v1/batches?type=age_gender', CONTRIBUTIONS_CSV, {
      'content-type': 'text/csv',
    });
    const { id } = (await answer.json()) as { id: string };
    await api.work();
    return id;
  }

  async function send({ name, parameters }: Operation, type?: string, body?: BodyInit): Promise<Response> {
    const [method, template] = name.split(' ');
    let path = template;
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    for (const { name: key, in: where, example } of parameters) {
      if (example === undefined) continue;
      if (where === 'query') for (const one of [example].flat()) query.append(key, String(one));
      if (where === 'header') headers[key] = String(example);
      if (where === 'path') path = path.replace(`{${key}}`, encodeURIComponent(String(example)));
    }
    if (path.includes(BATCH_ID)) path = path.replace(BATCH_ID, await finishedBatch());
    if (type !== undefined && type !== 'multipart/form-data') headers['content-type'] = type; // fetch sets it
    return api.send(`${path}?${query}`, { method, headers, body });
  }

  /** The example requests of the document: one per operation, or one per content type of its body. */
  function requests(): [operation: Operation, type?: string, body?: BodyInit][] {
    return operations.flatMap((operation): [Operation, string?, BodyInit?][] => {
      const content = operation.requestBody?.content;
      if (content === undefined) return [[operation]];
      return Object.entries(content).map(([type, { example }]) => [
        operation,
        type,
        FILES[type]?.() ?? textOf(example),
      ]);
    });
  }
  const textOf = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example));

  it('exist for every path parameter and every text body', () => {
    const without = operations.flatMap(({ name, parameters, requestBody }) => [
      ...parameters.filter((one) => one.in === 'path' && one.example === undefined).map((one) => `${name} ${one.name}`),
      ...Object.entries(requestBody?.content ?? {})
        .filter(([type, { example }]) => example === undefined && !(type in FILES))
        .map(([type]) => `${name} ${type}`),
    ]);
    expect(without).toEqual([]);
  });

  it('get the documented success status, for each operation and content type', async () => {
    const got = [];
    for (const [operation, type, body] of requests()) {
      const answer = await send(operation, type, body);
      await answer.body?.cancel();
      const expected = Object.keys(operation.responses).find((status) => status.startsWith('2'));
      got.push([operation.name, type, String(answer.status) === expected ? 'ok' : answer.status]);
    }
    expect(got.length).toBeGreaterThan(25);
    expect(got.filter(([, , outcome]) => outcome !== 'ok')).toEqual([]);
  });

  it('find rows in the loaded data', async () => {
    const files = operations.filter(({ responses }) => responses['200']?.content?.['text/csv'] !== undefined);
    const charts = files.filter(({ name }) => name.includes('/data-charts/'));
    expect(charts.length).toBe(9);
    // The overlap file is empty, because no donor of the sample has contributed to two candidates.
    for (const chart of charts.filter(({ name }) => !name.includes('/overlap/'))) {
      const lines = (await (await send(chart)).text()).trim().split('\n');
      expect([chart.name, lines.length > 1]).toEqual([chart.name, true]);
    }
  });

  it('of responses equal the responses to the example requests', async () => {
    let compared = 0;
    for (const operation of operations)
      for (const [type, { example }] of Object.entries(operation.responses['200']?.content ?? {})) {
        if (example === undefined) continue;
        const [, bodyType, body] = requests().find(([one]) => one === operation) ?? [];
        expect([operation.name, type, await (await send(operation, bodyType, body)).json()]).toEqual([
          operation.name,
          type,
          example,
        ]);
        compared++;
      }
    expect(compared).toBeGreaterThan(2);
  });
});
