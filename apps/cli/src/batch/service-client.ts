import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type ClientConfig } from '@donorlens/config';
import { CliError, EXIT, type ExitCode, isUnreachable, messageOf, dependencyError, usageError } from '../exit-code';
import { type Home, readPrivate, readRunInfo } from '../home/home';
import { type Context, clientContext, interruptible } from '../program-context';

/** A response other than 2xx, with the explanation of the service. */
export class HttpFault extends CliError {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterMs: number | null,
    /** Reason code of the problem document; null if it has none. */
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

/** Timeouts for connecting and for a silent connection. Answers about a large file may take minutes. */
const CONNECT_MS = 5_000;
const SILENCE_MS = 300_000;

/** HTTP client of a running donorlens with one API key. The caller retries: it knows which requests may be repeated. */
export class ServiceClient {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: 1_000, // avoids the reuse of a connection to an api that has restarted
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

  /** Sends a DELETE request, whose response has no body. */
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

/** Summarizes a problem document in one line: title, detail and the first three errors. */
function explain(problem: unknown): string {
  if (typeof problem !== 'object' || problem === null) return '';
  const { title, detail, errors } = problem as { title?: unknown; detail?: unknown; errors?: unknown };
  const text = [title, detail].filter((part) => typeof part === 'string').join(': ');
  const listable = Array.isArray(errors) && errors.length > 1; // the detail states a single fault
  const faults = listable ? (errors as { pointer?: unknown; detail?: unknown }[]).slice(0, 3) : [];
  const listed = faults.map((fault) => `${String(fault.pointer)} ${String(fault.detail)}`).join('; ');
  return listed ? `${text} (${listed})` : text;
}

/** Backoff between attempts: it doubles from the first to the maximum value. */
const FIRST_MS = 250;
const MAX_MS = 5_000;
/** Default retry period: long enough for an api that restarts, moves or is upgraded. */
const RETRY_MS = 5 * 60_000;

/** Transient statuses: the same request may succeed later. 409 means that its idempotency key is still in progress. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

export interface RetryOptions {
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
  /** Called once, after the first failed attempt. */
  onRetry?(message: string): void;
}

const isTransientError = (error: unknown): boolean =>
  error instanceof HttpFault ? TRANSIENT_STATUSES.has(error.status) : isUnreachable(error) || isCut(error);

/** True if the connection ended in the middle of a response or an upload. */
const isCut = (error: unknown): boolean =>
  /terminated|other side closed|aborted|premature close/i.test(messageOf(error));

/** Retries transient errors until the deadline `retryMs` after the call; then it throws the last error. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const deadline = performance.now() + (options.retryMs ?? RETRY_MS);
  let isReported = false;
  for (let backoffMs = FIRST_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_MS)) {
    try {
      return await work();
    } catch (error) {
      options.signal?.throwIfAborted();
      const waitMs = (error instanceof HttpFault ? error.retryAfterMs : null) ?? backoffMs;
      if (!isTransientError(error) || performance.now() + waitMs > deadline) throw error;
      if (!isReported) options.onRetry?.(messageOf(error));
      isReported = true;
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True for a service on this machine: uploads are not compressed, and the key of DONORLENS_HOME may be used. */
export const isLocal = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/** @throws CliError with exit code 3 if no service is known, 2 if no API key is */
export function findService(options: ServiceOptions, config: ClientConfig, home: Home): ServiceClient {
  const url = options.url ? checkedUrl(options.url) : (config.url ?? readRunInfo(home)?.url);
  if (!url)
    throw dependencyError(
      `no donorlens runs on ${home.root}: start one with npm start, or set DONORLENS_HOME to its folder, or --url`,
    );
  const key = options.key ?? config.key ?? config.bootstrapKey ?? (isLocal(url) ? readPrivate(home.key) : null);
  if (!key) throw usageError('no API key: pass --key, or set DONORLENS_KEY');
  return new ServiceClient(url, key);
}

/** Runs work with a client of the service. Ctrl-C interrupts the work. */
export async function withService(
  context: Context,
  options: ServiceOptions,
  work: (client: ServiceClient, signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { config, home } = clientContext();
  const client = findService(options, config, home);
  try {
    return await interruptible((signal) => work(client, signal), context);
  } finally {
    await client.close();
  }
}

function checkedUrl(text: string): string {
  try {
    if (/^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  } catch {
    // reported below
  }
  throw usageError(`--url ${text} is not an http: or https: URL`);
}
