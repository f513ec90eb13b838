import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { exitCodeOf } from '../exit-code';
import { type Context } from '../program-context';
import { askRole } from './doctor.command';

describe('the health of one role', () => {
  let server: Server;
  let port: number;
  let answer: number | null;
  let written: string[];
  const context: Context = {
    out: (text) => written.push(text),
    note: () => undefined,
    run: () => () => Promise.resolve(),
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (answer !== null) response.writeHead(request.url === '/health/ready' ? answer : 404).end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    written = [];
    answer = 200;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is requested from the api at PORT, even if the api listens on all interfaces', async () => {
    for (const host of ['127.0.0.1', '0.0.0.0', '::'])
      expect(await askRole(context, 'api', { host, port, metricsPort: undefined }, false)).toBe(0);
    expect(written[0]).toBe('api is ready');
  });

  it('is requested from a worker or an aggregator at METRICS_PORT, which must be set', async () => {
    const config = { host: '', port: 9, metricsPort: port };
    expect(await askRole(context, 'worker', config, true)).toBe(0);
    expect(JSON.parse(written[0])).toEqual({ role: 'worker', ready: true, problem: null });
    const unset = askRole(context, 'aggregator', { ...config, metricsPort: undefined }, false);
    await expect(unset).rejects.toThrow('METRICS_PORT');
    expect(exitCodeOf(await unset.catch((error: unknown) => error))).toBe(2);
  });

  it('has exit code 3 if the role is not ready, does not listen or does not answer', async () => {
    const config = { host: '', port: 9, metricsPort: port };
    answer = 503;
    expect(await askRole(context, 'worker', config, false)).toBe(3);
    expect(written[0]).toContain('answers 503');
    expect(await askRole(context, 'worker', { ...config, metricsPort: 9 }, false)).toBe(3);
    expect(written[1]).toContain('ECONNREFUSED');
    answer = null;
    expect(await askRole(context, 'worker', config, false)).toBe(3);
    expect(written[2]).toContain('does not answer within');
  });
});
