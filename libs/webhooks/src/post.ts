import { type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { DomainError } from '@donorlens/primitives';
import { type Resolve } from './resolve';
import { isPublicAddress, checkWebhookUrl, hostOf, isAllowedHost } from './webhook-url';

/** Limit from resolving the name to the last byte. A receiver should answer first and process the message then. */
const TOTAL_MS = 10_000;
/** The body of an answer is not used; at most so much is read before the connection is closed. */
const MAX_ANSWER_BYTES = 16 * 1024;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
}

interface PostOptions {
  readonly allowedHosts: readonly string[];
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
  readonly totalMs?: number;
}

/**
 * Sends one message. Redirects are not followed.
 * @throws SendError if there is no answer; the reason of `signal` if that was aborted
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { allowedHosts, resolve, signal, totalMs = TOTAL_MS }: PostOptions,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(totalMs);
  const stop = AbortSignal.any([signal, timeout]);
  try {
    const target = await Promise.race([targetOf(url, allowedHosts, resolve), rejectOnAbort(stop)]);
    return await send(target, headers, body, stop);
  } catch (error) {
    signal.throwIfAborted();
    throw timeout.aborted ? new SendError('timeout') : toSendError(error);
  }
}

async function send(
  { url, addresses }: Target,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  const agent = new Agent({ connect: { lookup: pinnedLookup(addresses) }, connections: 1, allowH2: false });
  try {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal });
    const retryAfter = answer.headers['retry-after'];
    await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal }).catch(() => undefined);
    return { status: answer.statusCode, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
  } finally {
    await agent.destroy();
  }
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Name resolution of the connection: it gets the addresses that were checked, and no others. */
const pinnedLookup =
  (addresses: readonly LookupAddress[]) =>
  (_host: string, options: LookupOptions, found: LookupCallback): void => {
    if (options.all) found(null, [...addresses]);
    else found(null, addresses[0].address, addresses[0].family);
  };

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** Resolved receiver: the connection uses one of these addresses, even if the host name changes meanwhile. */
interface Target {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

/**
 * Resolves a host once. If one address is not public, the host is refused.
 * @throws SendError if the URL may not be used, or its host has no address or a private one
 */
async function targetOf(text: string, allowedHosts: readonly string[], resolve: Resolve): Promise<Target> {
  try {
    checkWebhookUrl(text, allowedHosts);
  } catch {
    throw new SendError('url_refused'); // it was allowed when the batch was submitted
  }
  const url = new URL(text);
  const mayBePrivate = isAllowedHost(url, allowedHosts);
  const addresses = await addressesOf(hostOf(url), (host) => resolve(host, mayBePrivate));
  if (!mayBePrivate && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new SendError('private_address');
  return { url, addresses };
}

async function addressesOf(
  host: string,
  resolve: (host: string) => ReturnType<Resolve>,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new SendError('unknown_host');
  return addresses;
}

/** Why a message got no answer. */
export type SendErrorCode =
  'url_refused' | 'unknown_host' | 'private_address' | 'unreachable' | 'bad_certificate' | 'timeout' | 'bad_answer';

/** A message got no answer. The error contains neither the receiver's address nor its answer. */
export class SendError extends DomainError {
  constructor(readonly code: SendErrorCode) {
    super(`no answer: ${code}`);
  }
}

const NODE_ERROR_CODES: readonly (readonly [RegExp, SendErrorCode])[] = [
  [/TIMEOUT|TimeoutError/, 'timeout'],
  [/CERT|SIGNATURE|ISSUER|ALTNAME|SSL|TLS/, 'bad_certificate'],
  [/^HPE_|HEADERS_OVERFLOW|RES_|^UND_ERR_HEADERS/, 'bad_answer'],
];

/** Classifies an error of the connection. */
export function toSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const text = typeof code === 'string' ? code : String(name);
  return new SendError(NODE_ERROR_CODES.find(([pattern]) => pattern.test(text))?.[1] ?? 'unreachable');
}
