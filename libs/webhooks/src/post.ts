import { type LookupAddress, type LookupOptions } from 'node:dns';
import { Agent, request } from 'undici';
import { type Resolve } from './resolve';
import { SendFault, faultOf } from './send-fault';
import { type Target, targetOf } from './target';

/** A receiver answers first and works then: nobody is waited for longer, from the name's resolution to the last byte. */
const TOTAL_MS = 10_000;
/** Nothing of an answer is used; so much is read for politeness before the connection is closed. */
const MOST_ANSWER_BYTES = 16 * 1024;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
}

export interface PostOptions {
  readonly allowedHosts: readonly string[];
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
  readonly totalMs?: number;
}

/**
 * Sends one message. Redirects are answers like others: nobody is followed anywhere.
 * @throws SendFault where there is no answer; whatever aborted `signal`
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { allowedHosts, resolve, signal, totalMs = TOTAL_MS }: PostOptions,
): Promise<Answer> {
  const late = AbortSignal.timeout(totalMs);
  const over = AbortSignal.any([signal, late]);
  try {
    const target = await Promise.race([targetOf(url, allowedHosts, resolve), aborted(over)]);
    return await sent(target, headers, body, over);
  } catch (error) {
    signal.throwIfAborted();
    throw late.aborted ? new SendFault('timeout') : faultOf(error);
  }
}

async function sent(
  { url, addresses }: Target,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  const agent = new Agent({ connect: { lookup: pinned(addresses) }, connections: 1, allowH2: false });
  try {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal });
    const retryAfter = answer.headers['retry-after'];
    await answer.body.dump({ limit: MOST_ANSWER_BYTES, signal }).catch(() => undefined);
    return { status: answer.statusCode, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
  } finally {
    await agent.destroy();
  }
}

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** The connection's own look-up of the name: it learns the addresses that were checked, and no others. */
const pinned =
  (addresses: readonly LookupAddress[]) =>
  (_host: string, options: LookupOptions, found: Found): void => {
    if (options.all) found(null, [...addresses]);
    else found(null, addresses[0].address, addresses[0].family);
  };

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
