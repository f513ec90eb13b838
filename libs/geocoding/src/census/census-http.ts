import { Agent, type Dispatcher, request } from 'undici';
import { GeocoderError } from '../geocoder-error';
import { Deadline } from './deadline';
import { faultOf, faultOfStatus } from './fault';

export interface Ask {
  /** Begins with a slash; goes behind the service's address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** With a body it is a POST. */
  readonly form?: { readonly contentType: string; readonly body: Buffer };
  /** More is an error, not a cut. */
  readonly mostBytes: number;
  readonly budgetMs: number;
  readonly signal?: AbortSignal;
}

export interface Received {
  readonly body: Buffer;
  /** What broke the body off; null where it is whole, as far as HTTP can tell. */
  readonly brokenBy: GeocoderError | null;
}

const USER_AGENT = 'donorlens/0.1';

/** Asks one service over HTTP. Follows no redirect, keeps connections, and gives away nothing of what it sent in its errors. */
export class CensusHttp {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    { connectMs, idleMs }: { readonly connectMs: number; readonly idleMs: number },
  ) {
    // no limit for the headers but the budget: the service computes all rows before it answers
    this.agent = new Agent({ connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: idleMs });
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** @throws GeocoderError unless the status is 200 and the body, as far as it came, is not too large */
  async ask(ask: Ask): Promise<Received> {
    const deadline = new Deadline(ask.budgetMs, ask.signal);
    try {
      const answer = await deadline.bound(this.sent(ask, deadline.signal));
      const refusal = faultOfStatus(answer.statusCode, answer.headers, Date.now());
      if (refusal) throw dropped(answer, refusal);
      return await received(answer, ask.mostBytes, deadline);
    } catch (error) {
      throw deadline.fault() ?? faultOf(error);
    } finally {
      deadline.end();
    }
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

/** An answer of no use is not read to its end, which may never come. */
function dropped(answer: Dispatcher.ResponseData, refusal: GeocoderError): GeocoderError {
  answer.body.on('error', () => undefined).destroy();
  return refusal;
}

async function received(answer: Dispatcher.ResponseData, mostBytes: number, deadline: Deadline): Promise<Received> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let brokenBy: GeocoderError | null = null;
  try {
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new GeocoderError('too_large');
      pieces.push(piece);
    }
  } catch (error) {
    brokenBy = deadline.fault() ?? faultOf(error);
    if (brokenBy.code === 'too_large' || brokenBy.code === 'aborted') throw brokenBy;
    if (brokenBy.code !== 'timeout') brokenBy = new GeocoderError('truncated');
  }
  return { body: Buffer.concat(pieces), brokenBy };
}
