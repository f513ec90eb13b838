import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request as it is sent: headers in order, with repeated ones. */
export interface WireRequest {
  readonly method: string;
  /** Path and query of the request line. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const ANSWER_MS = 60_000;
/**
 * Shorter than the keep-alive timeout of the api. Otherwise a request could start while the api closes its connection.
 */
const IDLE_MS = 30_000;

/** Sends requests unchanged over a few persistent connections. */
export class RequestSender {
  private readonly agent: Agent;
  private readonly host: string;
  private readonly port: number;

  constructor(url: string, connections: number) {
    const { hostname, port } = new URL(url);
    this.host = hostname;
    this.port = Number(port);
    this.agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: IDLE_MS });
  }

  /** Sends once, without a retry. Of an event stream, the first piece is the answer. */
  send({ method, target, headers, body }: WireRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        agent: this.agent,
        host: this.host,
        port: this.port,
        method,
        path: target,
        setHost: false,
        headers: headers.flat(),
        timeout: ANSWER_MS,
      });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
      request.on('error', reject);
      request.on('response', (response) => resolve(answerOf(response)));
      request.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  const isEndless = response.headers['content-type']?.startsWith('text/event-stream');
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    if (isEndless) break;
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: decompressed(response, Buffer.concat(pieces)),
  };
}

/** @throws Error if the body is not compressed as its header says */
function decompressed({ headers }: IncomingMessage, body: Buffer): Buffer {
  const coding = headers['content-encoding'];
  if (coding === undefined || body.length === 0) return body;
  return coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body);
}
