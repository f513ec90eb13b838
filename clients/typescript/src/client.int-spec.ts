import { createDonorlens } from '@donorlens/client';
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { join } from 'node:path';
import { once } from 'node:events';
import { faultyService } from '../../../test/support/service/faulty-service';
import { type RunningApi, runningApi } from '../../../test/support/service/running-api';
import { workUntil } from '../../../test/support/pipeline/work-until';

const PACKAGE = join(__dirname, '..');
const CSV = 'first_name,last_name,date\nThomas,Garcia,2016-10-01\nMaria,Smith,2016-03-01\n';

describe('the client', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-client-'));
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const client = (key = api.key) => createDonorlens({ baseUrl: api.url, key });

  it('calls the bulk endpoints and returns results in the order of the queries', async () => {
    expect(await client().ageGender([{ name: 'Thomas', date: '2017-07-01' }])).toEqual([{ age: 70, gender: 'm' }]);
    const [garcia] = await client().ethnicity([{ surname: 'Garcia', year: 2016 }], { detail: true });
    expect(garcia).toMatchObject({ race: 'hispanic', census: 2010 });
    const results = await client().contributions([{ name: 'SMITH, MARIA', date: '2016-03-01' }]);
    expect(results).toMatchObject([{ gender: 'f', geocode_status: 'SKIPPED' }]);
  });

  it('reaches every other operation by its path, typed', async () => {
    const { data } = await client().GET('/enrich/v1/ethnicity/surname/{surname}/year/{year}', {
      params: { path: { surname: 'Garcia', year: 2016 } },
    });
    expect(data).toMatchObject({ surname: 'Garcia', race: 'hispanic' });
  });

  it('throws an error response with its code and every invalid part', async () => {
    await expect(client().ageGender([{ name: 'Thomas', date: 'yesterday' }])).rejects.toMatchObject({
      name: 'DonorlensProblem',
      code: 'invalid-request',
      status: 400,
      errors: [{ pointer: '/queries/0/date', detail: expect.any(String) as string }],
      requestId: expect.any(String) as string,
    });
    await expect(client('no key').ageGender([])).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  });

  it.each([
    ['a text', () => CSV],
    ['bytes', () => new TextEncoder().encode(CSV)],
    ['a blob', () => new Blob([CSV])],
    ['a stream', () => new Blob([CSV]).stream()],
  ])('sends %s as a batch, waits for it and reads its rows one by one', async (_what, source) => {
    const seen: string[] = [];
    const { id } = await client().submitBatch(source(), { type: 'contributions' });
    const waiting = client().waitForBatch(id, { onProgress: ({ state }) => seen.push(state) });
    const batch = await workUntil(api, waiting);
    expect(batch).toMatchObject({ id, state: 'completed', counts: { total: 2, ok: 2 } });
    expect(seen.at(-1)).toBe('completed');
    const rows = [];
    for await (const row of client().results(id)) rows.push(row);
    expect(rows).toMatchObject([{ gender: 'm' }, { gender: 'f' }]);
  });

  it('maps columns, and makes one batch of one idempotency key', async () => {
    const options = { map: { first_name: 'GIVEN', surname: 'FAMILY' }, idempotencyKey: 'one-file' };
    const csv = CSV.replace('first_name,last_name', 'GIVEN,FAMILY');
    const first = await client().submitBatch(csv, options);
    expect((await client().submitBatch(csv, options)).id).toBe(first.id);
    await api.work();
    const results = await client().resultStream(first.id, { format: 'csv' });
    expect(await new Response(results).text()).toMatch(/^GIVEN,FAMILY,date,AGE/);
  });

  it('requests the rows of a chart', async () => {
    const server = createServer(({ url }, response) => response.end(JSON.stringify({ results: [{ url }] })));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const charts = createDonorlens({ baseUrl: `http://127.0.0.1:${port}`, key: 'a' });
    expect(await charts.chart('cumulative_donors/candidate', { candidate_id: ['P1', 'P2'], cycle: 2016 })).toEqual([
      { url: '/data-charts/v1/cumulative_donors/candidate?candidate_id=P1&candidate_id=P2&cycle=2016&format=json' },
    ]);
    server.close();
    // @ts-expect-error the search of contributions has no JSON
    await expect(client().chart('contributions/search')).rejects.toMatchObject({
      status: expect.any(Number) as number,
    });
  });

  it('sends the URL of a webhook as a header', async () => {
    const sent = client().submitBatch(CSV, { webhookUrl: 'https://10.0.0.7/a b' });
    await expect(sent).rejects.toMatchObject({ status: 400, errors: [{ pointer: '/header/Webhook-Url' }] });
    await expect(client().submitBatch(CSV, { webhookUrl: 'hooks' })).rejects.toThrow('Invalid URL');
  });

  it('stops waiting for a cancelled batch and when the caller aborts', async () => {
    const { id } = await client().submitBatch(CSV);
    const controller = new AbortController();
    const waiting = client().waitForBatch(id, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await client().POST('/enrich/v1/batches/{id}/cancel', { params: { path: { id } } });
    await expect(client().waitForBatch(id)).rejects.toMatchObject({ batch: { state: 'cancelled' } });
  });

  it('retries after Retry-After with the same body, and gives up if that is longer than a minute', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        bodies.push(body);
        if (bodies.length === 2) response.writeHead(200).end('{"results":[]}');
        else response.writeHead(429, { 'retry-after': bodies.length === 1 ? '0' : '40000' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const busy = createDonorlens({ baseUrl: `http://127.0.0.1:${port}`, key: 'a' });
    expect(await busy.ageGender([{ name: 'A', date: '2017-07-01' }])).toEqual([]);
    expect(bodies).toEqual([bodies[1], bodies[1]]);
    await expect(busy.ageGender([])).rejects.toMatchObject({ status: 429, retryAfterSeconds: 40_000 });
    server.close();
  });

  it('names the address that does not respond and what to check, without secrets of the URL', async () => {
    const server = createServer((request) => request.socket.destroy())
      .listen(0, '127.0.0.1')
      .unref();
    await once(server, 'listening');
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const of = (baseUrl: string) => createDonorlens({ baseUrl, key: 'a' });
    await expect(of(`http://${address}/below`).ethnicity([])).rejects.toMatchObject({
      name: 'DonorlensUnreachable',
      code: 'UND_ERR_SOCKET',
      address: `http://${address}`,
      message: expect.stringMatching(
        /^The service does not answer at http:\S+ \(UND_ERR_SOCKET\): .*baseUrl/,
      ) as string,
    });
    const none = Readable.toWeb(createReadStream('/no/such/file')) as ReadableStream<Uint8Array>;
    await expect(client().submitBatch(none)).rejects.toMatchObject({ code: 'ENOENT' });
    const signal = AbortSignal.abort();
    await expect(of(`http://${address}`).submitBatch(CSV, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    server.close();
  });

  it('names the address also if the connection breaks while a response is read', async () => {
    const faulty = await faultyService();
    const unreachable = { name: 'DonorlensUnreachable', address: faulty.url, code: 'UND_ERR_SOCKET' };
    for (const key of ['half', 'half-chunked']) {
      const broken = createDonorlens({ baseUrl: faulty.url, key });
      await expect(broken.ageGender([])).rejects.toMatchObject(unreachable);
      await expect(new Response(await broken.resultStream('a')).text()).rejects.toMatchObject(unreachable);
    }
    const failing = createDonorlens({ baseUrl: faulty.url, key: 'half-error' });
    await expect(failing.ageGender([])).rejects.toMatchObject(unreachable);
    const rows = createDonorlens({ baseUrl: faulty.url, key: 'half-chunked' }).results('a');
    expect(await rows.next()).toEqual({ done: false, value: { a: 1 } });
    await expect(rows.next()).rejects.toMatchObject(unreachable);
    faulty.close();
  });

  it('is a package whose example runs, and whose README shows it', async () => {
    const tsc = require.resolve('typescript/bin/tsc');
    const built = spawnSync(process.execPath, [tsc, '-p', join(PACKAGE, 'tsconfig.build.json')], { encoding: 'utf8' });
    expect([built.stdout, built.status]).toEqual(['', 0]);
    const file = join(folder, 'contributions.csv');
    writeFileSync(file, CSV);
    const child = spawn(process.execPath, [join(PACKAGE, 'examples/enrich-file.mjs'), file], {
      env: { PATH: process.env.PATH, DONORLENS_URL: api.url, DONORLENS_KEY: api.key },
    });
    let [out, notes] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (notes += part.toString()));
    expect([await workUntil(api, once(child, 'close')), notes]).toEqual([
      [0, null],
      expect.stringMatching(/^Thomas: 70, m\n(\d of 2 rows, 0 wait for their address\n)+2 of 2 rows have an answer\n$/),
    ]);
    const printed = notes.split('\n');
    expect(printed).toEqual([...new Set(printed)]); // an unchanged state is not printed again
    expect(out).toMatch(/^first_name,last_name,date,AGE.*\nThomas,Garcia,2016-10-01,69,/);
    const alone = spawnSync(process.execPath, [join(PACKAGE, 'examples/enrich-file.mjs'), file], {
      env: { PATH: process.env.PATH, DONORLENS_URL: 'http://127.0.0.1:1' },
      encoding: 'utf8',
    });
    expect([alone.status, alone.stderr]).toEqual([
      1,
      expect.stringMatching(/^The service does not answer at http:\/\/127\.0\.0\.1:1[ :].*baseUrl.*\.\n$/),
    ]);
    const example = readFileSync(join(PACKAGE, 'examples/enrich-file.mjs'), 'utf8');
    expect(readFileSync(join(PACKAGE, 'README.md'), 'utf8')).toContain(example);
  });
});
