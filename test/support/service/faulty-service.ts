import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Fault = (response: ServerResponse, bodies: readonly string[]) => void;

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Refuses the first request with Retry-After, then returns the number of requests and of different bodies. */
const busy =
  (status: number, retryAfter: () => string): Fault =>
  (response, bodies) =>
    bodies.length === 1
      ? json(response, status, {}, { 'retry-after': retryAfter() })
      : json(response, 200, { results: [{ requests: bodies.length, bodies: new Set(bodies).size }] });

const soon = busy(429, () => '0');

const FAULTS: Readonly<Record<string, Fault>> = {
  busy: soon,
  'busy-file': soon,
  'busy-stream': soon,
  'busy-until-a-date': busy(503, () => new Date(Date.now() + 1000).toUTCString()),
  'always-busy': (response, { length }) => json(response, 429, { title: `request ${length}` }, { 'retry-after': '0' }),
  quota: (response) => json(response, 429, {}, { 'retry-after': '40000' }),
  proxy: (response) => void response.writeHead(502).end('<html>Bad Gateway</html>'),
  failed: (response) => json(response, 200, { id: 'a', state: 'failed', error: 'no header', eta_seconds: null }),
  closed: (response) => response.destroy(),
  half: (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  'half-error': (response) => response.writeHead(500, { 'content-length': '100' }).write('{', () => response.destroy()),
  'half-chunked': (response) => response.writeHead(200).write('{"a":1}\n', () => response.destroy()),
  silent: () => undefined,
};

/** Starts a service that answers each API key with one fault and counts the request bodies of each key. */
export async function faultyService(): Promise<{ readonly url: string; close(): void }> {
  const bodies = new Map<string, string[]>();
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const sent = [...(bodies.get(key) ?? []), await text(request)];
    bodies.set(key, sent);
    FAULTS[key](response, sent);
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
