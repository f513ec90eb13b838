import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, Agent, get } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type FastifyInstance, fastify } from 'fastify';
import { limitRequestStarts } from './request-scheduling';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const WINDOW_MS = 30;
/** Blocking time of one request, more than a third of the window. */
const WORK_MS = 12;

function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('requests of many connections', () => {
  let server: FastifyInstance;
  let agent: Agent;
  let requests: ClientRequest[];
  let begun: string[];
  let connections: number[];
  let slow: { readonly socket: Socket; answer(text: string): void } | undefined;

  const listen = async (windowMs: number, workMs = (_n: number): number => WORK_MS): Promise<void> => {
    requests = [];
    begun = [];
    connections = [];
    slow = undefined;
    let taken = 0;
    agent = new Agent({ keepAlive: true });
    server = fastify({ forceCloseConnections: true });
    server.decorateRequest('span', undefined);
    server.server.on('connection', () => taken++);
    limitRequestStarts(server, windowMs);
    server.get('/health/live', () => 'live');
    server.get('/slow', ({ raw, url }) => {
      begun.push(url);
      return new Promise((answer) => (slow = { answer, socket: raw.socket }));
    });
    server.get('/:n', (request) => {
      begun.push(request.url);
      connections.push(taken);
      workFor(workMs(connections.length));
      return request.url;
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
  };
  const close = async (): Promise<void> => {
    agent.destroy();
    await server.close();
  };
  beforeEach(() => listen(WINDOW_MS));
  afterEach(close);

  const port = (): number => (server.server.address() as AddressInfo).port;
  const asked = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const answered = (answer: IncomingMessage): void =>
        void answer.setEncoding('utf8').once('data', resolve).once('error', reject);
      requests.push(get({ host: '127.0.0.1', port: port(), path, agent }, answered).once('error', reject));
    });

  const connected = (count: number): Promise<unknown> => Promise.all(numbers(count).map(() => asked('/health/live')));

  it('all get their own response, repeatedly', async () => {
    const paths = numbers(20).map((n) => `/${n}`);
    for (let times = 0; times < 3; times++) expect(await Promise.all(paths.map(asked))).toEqual(paths);
  });

  it('start in the order of arrival, with event-loop iterations in between', async () => {
    const paths = numbers(9).map((n) => `/${n}`);
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns++;
      if (counting) setImmediate(count);
    };
    count();
    await Promise.all(paths.map((path) => server.inject(path)));
    counting = false;
    expect(begun).toEqual(paths);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('do not start before requests that already wait', async () => {
    await connected(12);
    const waiting = numbers(11).map((n) => asked(`/${n}`));
    await waiting[0];
    await Promise.all([asked('/late'), ...waiting]);
    expect(begun.at(-1)).toBe('/late');
  });

  it('do not delay a health check', async () => {
    await connected(31);
    const answered: string[] = [];
    const noted = (path: string): Promise<number> => asked(path).then((text) => answered.push(text));
    const all = numbers(30).map((n) => noted(`/${n}`));
    await all[0];
    await noted('/health/live');
    expect(answered.length).toBeLessThan(20);
    await Promise.all(all);
    expect(answered).toHaveLength(31);
  });

  it('do not start while new connections can be accepted', async () => {
    await close();
    await listen(1_000, (n) => (n <= 3 ? 400 : 0)); // three requests fill the window; twenty connections do not
    await connected(30);
    await Promise.all(numbers(50).map((n) => asked(`/${n}`)));
    expect(connections[3]).toBe(50);
  });

  it('do not start if the client has disconnected', async () => {
    await connected(20);
    const others = numbers(15).map((n) => asked(`/${n}`));
    const timedOut = asked('/timed-out');
    timedOut.catch(() => undefined);
    const behind = asked('/behind');
    await others[0];
    requests.at(-2)?.destroy();
    await expect(timedOut).rejects.toThrow();
    await Promise.all([...others, behind]);
    expect(begun).not.toContain('/timed-out');
  });

  it('are answered in order if one connection pipelines them', async () => {
    const others = numbers(5).map((n) => asked(`/${n}`));
    const socket: Socket = connect(port(), '127.0.0.1').setEncoding('utf8');
    const paths = ['/a', '/b', '/c'];
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
    let text = '';
    for await (const piece of socket) {
      text += piece as string;
      if (text.endsWith('/c')) break;
    }
    expect(text.match(/\/[abc]/g)).toEqual(paths);
    expect(begun.filter((path) => paths.includes(path))).toEqual(paths);
    await Promise.all(others);
  });

  describe('that are pipelined after another request', () => {
    let client: Socket;
    beforeEach(async () => {
      client = connect(port(), '127.0.0.1').setEncoding('utf8');
      client.write(['/slow', '/behind'].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''));
      while (slow === undefined) await yieldToEventLoop();
      await asked('/meanwhile');
      expect(begun).toEqual(['/slow', '/meanwhile']);
    });
    afterEach(() => client.destroy());

    it('start after the response to that request', async () => {
      slow?.answer('/slow');
      for await (const piece of client) if (String(piece).endsWith('/behind')) break;
      expect(begun).toEqual(['/slow', '/meanwhile', '/behind']);
    });

    it('are dropped with their connection if there are hundreds', async () => {
      client.write('GET /behind HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(5_000));
      await new Promise((closed) => client.on('error', () => undefined).once('close', closed));
      slow?.answer('/slow');
      await asked('/after');
      expect(begun).toEqual(['/slow', '/meanwhile', '/after']);
    });

    it('do not start if the client has disconnected in the meantime', async () => {
      client.destroy();
      if (slow) await once(slow.socket, 'close');
      slow?.answer('/slow');
      await asked('/after');
      expect(begun).toEqual(['/slow', '/meanwhile', '/after']);
    });
  });
});
