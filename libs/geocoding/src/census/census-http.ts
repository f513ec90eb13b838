import { addAbortSignal } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import { VERSION } from '@donorlens/observability';
import { withTimeout } from '@donorlens/primitives';
import { GeocoderError } from '../geocoder-error';
import { faultOf, faultOfStatus } from './fault';

export interface Ask {
  /** Begins with a slash; appended to the service's address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** With a body it is a POST. */
  readonly form?: { readonly contentType: string; readonly body: Buffer };
  /** A larger answer is an error; it is not truncated. */
  readonly maxBytes: number;
  readonly budgetMs: number;
  readonly signal?: AbortSignal;
}

export interface Received {
  readonly body: Buffer;
  /** Why the body is incomplete; null if it is complete, as far as HTTP can tell. */
  readonly brokenBy: GeocoderError | null;
}

const USER_AGENT = `donorlens/${VERSION}`;

/** HTTP client of one service. Follows no redirect, reuses connections, and its errors hold nothing of the request. */
export class CensusHttp {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    { connectMs, idleMs }: { readonly connectMs: number; readonly idleMs: number },
  ) {
    // only the budget limits the headers: the service computes all rows before it answers
    this.agent = new Agent({ connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: idleMs });
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** @throws GeocoderError unless the status is 200 and the body, as far as it was received, is not too large */
  async ask(ask: Ask): Promise<Received> {
    const until = performance.now() + ask.budgetMs;
    const answer = await inBudget(ask, until, (signal) => this.sent(ask, signal));
    const refusal = faultOfStatus(answer.statusCode, answer.headers, Date.now());
    if (refusal) throw dropped(answer, refusal);
    return received(answer, ask, until);
  }

  private async sent({ path, query, form }: Ask, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers = { 'user-agent': USER_AGENT };
    const url = `${this.url}${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`;
    if (!form)
      return request(url, { dispatcher: this.agent, signal, headers: { ...headers, accept: 'application/json' } });
    return request(url, {
      method: 'POST',
      dispatcher: this.agent,
      signal,
      headers: { ...headers, 'content-type': form.contentType },
      body: form.body,
    });
  }
}

/** The body of a refusal is not read, as it may never end. */
function dropped(answer: Dispatcher.ResponseData, refusal: GeocoderError): GeocoderError {
  answer.body.on('error', () => undefined).destroy();
  return refusal;
}

/** Waits for one step of a call. @throws GeocoderError: `timeout` after the budget, `aborted` if the caller aborts */
async function inBudget<T>(ask: Ask, until: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await withTimeout(until - performance.now(), work, () => new GeocoderError('timeout'), ask.signal);
  } catch (error) {
    throw ask.signal?.aborted ? new GeocoderError('aborted') : faultOf(error);
  }
}

async function received(answer: Dispatcher.ResponseData, ask: Ask, until: number): Promise<Received> {
  const pieces: Buffer[] = [];
  let brokenBy: GeocoderError | null = null;
  try {
    await inBudget(ask, until, (signal) => readBody(addAbortSignal(signal, answer.body), ask.maxBytes, pieces));
  } catch (error) {
    brokenBy = error as GeocoderError;
    if (brokenBy.code === 'too_large' || brokenBy.code === 'aborted') throw brokenBy;
    if (brokenBy.code !== 'timeout') brokenBy = new GeocoderError('truncated');
  }
  return { body: Buffer.concat(pieces), brokenBy };
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number, pieces: Buffer[]): Promise<void> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new GeocoderError('too_large');
    pieces.push(piece);
  }
}
