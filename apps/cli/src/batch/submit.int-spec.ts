import { mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context } from '../program-context';
import { type SubmitOptions, submit } from './submit';

const ID = '00000000-0000-4000-8000-000000000001';
const RESULT = `name,AGE\n${'Mary,65\n'.repeat(20_000)}`;
const batch = (state: string, invalid = 0) => ({
  ...{ id: ID, state, type: 'contributions', rows_per_second: null, eta_seconds: null },
  counts: {
    total: 2,
    done: state === 'completed' ? 2 : 0,
    ok: 2 - invalid,
    partial: 0,
    not_found: 0,
    invalid,
    failed: 0,
  },
});

/** A service that breaks the connection after reading an upload, during a status request and within a response. */
class UnreliableService {
  readonly keys: (string | undefined)[] = [];
  readonly webhooks: (string | string[] | undefined)[] = [];
  readonly paths: string[] = [];
  readonly bodies: string[] = [];
  invalid = 0;
  /** Body of the second and later downloads. */
  later = RESULT;
  private asked = 0;
  private downloads = 0;
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  listen(): Promise<string> {
    return new Promise((resolve) =>
      this.server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`),
      ),
    );
  }
  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request) body += String(piece);
    const json = (value: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const path = request.url ?? '';
    this.paths.push(path);
    if (request.method === 'POST') {
      this.keys.push(request.headers['idempotency-key'] as string | undefined);
      this.webhooks.push(request.headers['webhook-url']);
      this.bodies.push(body);
      if (this.keys.length === 1) request.socket.destroy();
      else response.writeHead(202).end(JSON.stringify(batch('accepted')));
    } else if (path.includes('/results')) this.download(request, response);
    else if (path.includes('?limit=')) json({ results: [], next: null });
    else if (++this.asked === 2) request.socket.destroy();
    else json(batch(this.asked > 3 ? 'completed' : 'running', this.invalid));
  }

  /** Breaks off the first download in the middle. */
  private download(request: IncomingMessage, response: ServerResponse): void {
    if (++this.downloads > 1) return void response.end(this.later);
    response.write(RESULT.slice(0, 70_001), () => setTimeout(() => request.socket.destroy(), 50));
  }
}

describe('submitting a file to an unreliable service', () => {
  let folder: string;
  let service: UnreliableService;
  let options: SubmitOptions;
  const notes: string[] = [];
  const context: Context = {
    out: () => undefined,
    note: (text) => notes.push(text),
    run: () => () => Promise.resolve(),
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-submit-'));
    writeFileSync(join(folder, 'in.csv'), 'name\nMary\nMary\n');
    notes.length = 0;
    service = new UnreliableService();
    const output = join(folder, 'out.csv');
    options = { url: await service.listen(), key: 'a-key-for-tests', map: [], as: 'csv', wait: true, output };
  });
  afterEach(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('repeats the upload with the same idempotency key, waits, and completes a broken download', async () => {
    expect(await submit(context, join(folder, 'in.csv'), options)).toBe(0);
    expect(service.keys).toHaveLength(2);
    expect(service.keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(service.keys[1]).toBe(service.keys[0]);
    expect(service.bodies[1]).toBe('name\nMary\nMary\n');
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe(RESULT);
    expect(existsSync(join(folder, 'out.csv.part'))).toBe(false);
    expect(notes).toContain(`its page: ${options.url}/enrich/v1/batches/${ID} (a browser asks for your key)`);
    expect(notes.join()).not.toContain(options.key);
    expect(notes.at(-1)).toBe(`batch ${ID} completed, 2 rows: 2 ok`);
  });

  it('writes a file again if the results have changed since the download broke', async () => {
    for (const later of [RESULT.replace('65', '56'), RESULT.slice(0, 50_000)]) {
      service.close();
      service = new UnreliableService();
      service.later = later;
      expect(await submit(context, join(folder, 'in.csv'), { ...options, url: await service.listen() })).toBe(0);
      expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe(later);
    }
  });

  it('sends the webhook URL in a header with each attempt, and never in a URL', async () => {
    const webhookUrl = 'https://hooks.example.org/token-of-mine';
    await submit(context, join(folder, 'in.csv'), { ...options, webhookUrl });
    expect(service.webhooks).toEqual([webhookUrl, webhookUrl]);
    expect(service.paths.join()).not.toContain('token-of-mine');
  });

  it('warns that ages include children if no minimum age was given', async () => {
    await submit(context, join(folder, 'in.csv'), options);
    expect(notes.filter((note) => note.includes('--min-age 18'))).toHaveLength(1);
    notes.length = 0;
    await submit(context, join(folder, 'in.csv'), { ...options, minAge: 0 });
    expect(notes.join()).not.toContain('--min-age');
  });

  it('ends with exit code 4 if rows were invalid', async () => {
    service.invalid = 1;
    expect(await submit(context, join(folder, 'in.csv'), options)).toBe(4);
  });

  it('sends nothing if the output file cannot be created', async () => {
    const output = join(folder, 'none', 'out.csv');
    await expect(submit(context, join(folder, 'in.csv'), { ...options, output })).rejects.toThrow('cannot be written');
    expect(service.keys).toEqual([]);
  });
});
