import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Context } from '../program-context';
import { buildProgram } from '../program';

const ANSWERS: Readonly<Record<string, object>> = {
  '/health/ready': { release: 'sample.1' },
  '/ops?format=json': { overall: '2 alerts. Enrichment paused, geocoding idle.' },
  '/enrich/v1/batches?limit=5': { results: [] },
};

const RESTORED = 'The database was restored. An operator has to check the keys: bin/donorlens keys confirm.';

describe('bin/donorlens status', () => {
  let server: Server;
  let forbidden: string[] = [];
  let isRestored = false;
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const isPermitted = !forbidden.some((path) => url.startsWith(path));
      const isUnavailable = isRestored && !url.startsWith('/health');
      response.writeHead(isUnavailable ? 503 : isPermitted ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isUnavailable ? { detail: RESTORED } : isPermitted ? ANSWERS[url] : {}));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => void server.close());

  async function written(): Promise<string> {
    let text = '';
    const context: Context = {
      out: (line) => void (text += line),
      note: () => undefined,
      run:
        (work) =>
        (...args) =>
          work(...args).then(() => undefined),
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await buildProgram(context).parseAsync(['status', '--url', url, '--key', 'k'], { from: 'user' });
    return text;
  }

  it('shows the alerts of the service if the API key permits it', async () => {
    expect(await written()).toContain('\nstate      2 alerts. Enrichment paused, geocoding idle.\n');
    forbidden = ['/ops'];
    expect(await written()).toMatch(/^service .* is ready\nrelease /);
  });

  it('shows a ready service without its batches if the API key does not permit them', async () => {
    forbidden = ['/ops', '/enrich/v1/batches'];
    expect(await written()).toMatch(/^service .* is ready\nrelease +sample\.1$/);
  });

  it('shows the reason why the service accepts no key together with its other state', async () => {
    isRestored = true;
    expect(await written()).toMatch(
      /^service .* is ready\nproblem    503: The database was restored\. .* keys confirm\.\nrelease +sample\.1$/,
    );
  });
});
