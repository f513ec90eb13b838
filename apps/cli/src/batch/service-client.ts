import { type Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { CliError, EXIT } from '../exit-code';

/** An answer that is not 2xx, as the service explains it. */
export class HttpFault extends CliError {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterMs: number | null,
    /** A code that says more than the status, where the service gives one. */
    readonly reason: string | null = null,
  ) {
    super(message, status === 503 || status === 502 || status === 504 ? EXIT.dependency : EXIT.failed);
    this.name = 'HttpFault';
  }
}

export interface Upload {
  readonly body: () => Readable;
  readonly headers: Readonly<Record<string, string>>;
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly upload?: Upload;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** A service whose connections may be cut and whose answers may take a while, as with any long file. */
const CONNECT_MS = 5_000;
const SILENCE_MS = 300_000;

/** Talks HTTP to a running donorlens with one key. Retries are the caller's: only it knows what may be sent twice. */
export class ServiceClient {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: 1_000, // a restarted api must not be met on a dead connection
  });

  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  async json(path: string, options: Request = {}): Promise<unknown> {
    const body = await this.send(path, { accept: 'application/json', ...options });
    return body.json();
  }

  async stream(path: string, accept: string, signal?: AbortSignal): Promise<Readable> {
    return this.send(path, { accept, signal });
  }

  /** For requests that are answered without a word. */
  async delete(path: string, signal?: AbortSignal): Promise<void> {
    await (await this.send(path, { method: 'DELETE', signal })).dump();
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async send(path: string, { method = 'GET', upload, accept = 'application/json', signal }: Request) {
    const body = upload?.body();
    try {
      const response = await request(this.url + path, {
        method,
        dispatcher: this.agent,
        headers: { accept, authorization: `Bearer ${this.key}`, ...upload?.headers },
        body,
        signal,
      });
      if (response.statusCode >= 300)
        throw await faultOf(response.statusCode, response.headers['retry-after'], response.body);
      return response.body;
    } finally {
      body?.destroy();
    }
  }
}

async function faultOf(
  status: number,
  retryAfter: string | string[] | undefined,
  body: { json(): Promise<unknown> },
): Promise<HttpFault> {
  const problem: unknown = await body.json().catch(() => null);
  const seconds = Number(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter);
  return new HttpFault(
    status,
    `${status}: ${explain(problem) || 'the service did not say why'}`,
    seconds > 0 ? seconds * 1000 : null,
    reasonOf(problem),
  );
}

const reasonOf = (problem: unknown): string | null =>
  typeof problem === 'object' && problem !== null && 'reason' in problem && typeof problem.reason === 'string'
    ? problem.reason
    : null;

/** One line out of a problem document: what, where it is known the line, and the first faults. */
function explain(problem: unknown): string {
  if (typeof problem !== 'object' || problem === null) return '';
  const { title, detail, errors } = problem as { title?: unknown; detail?: unknown; errors?: unknown };
  const text = [title, detail].filter((part) => typeof part === 'string').join(': ');
  const faults = Array.isArray(errors) ? (errors as { pointer?: unknown; detail?: unknown }[]).slice(0, 3) : [];
  const listed = faults.map((fault) => `${String(fault.pointer)} ${String(fault.detail)}`).join('; ');
  return listed ? `${text} (${listed})` : text;
}
