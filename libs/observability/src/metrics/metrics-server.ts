import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { VERSION } from '../version';
import { processRegistry } from './process-metrics';

export interface MetricsServerOptions {
  /** Undefined: there is none. */
  readonly port: number | undefined;
  readonly host: string;
  /** Whether the process can do its work now. */
  readonly isReady: () => boolean;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * /metrics, /health/live and /health/ready of a process that serves nothing else. It needs no API key: the port is for
 * a monitoring system, and exposes numbers only.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer | null> {
  const { port, host, isReady } = options;
  if (port === undefined) return null;
  const server = createServer((request, response) => {
    // An unhandled rejection of a scrape would end the process.
    answer(request, response, isReady).catch(() => send(response, 500, { status: 'metrics could not be collected' }));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : port, close: () => closed(server) };
}

async function answer(request: IncomingMessage, response: ServerResponse, isReady: () => boolean): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, { status: 'GET only' });
  if (path === '/metrics') return sendMetrics(response);
  if (path === '/health/live') return send(response, 200, { status: 'live', version: VERSION });
  if (path !== '/health/ready')
    return send(response, 404, { status: 'not found; available: /metrics, /health/live, /health/ready' });
  const ready = isReady();
  send(response, ready ? 200 : 503, { status: ready ? 'ready' : 'the database does not answer', version: VERSION });
}

async function sendMetrics(response: ServerResponse): Promise<void> {
  const registry = processRegistry();
  const text = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType }).end(text);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}
