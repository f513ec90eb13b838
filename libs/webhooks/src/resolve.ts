import { type LookupAddress } from 'node:dns';
import { Resolver, lookup } from 'node:dns/promises';

/** All addresses of a host. `isAllowed`: the operator has listed it in WEBHOOK_ALLOWED_HOSTS. */
export type Resolve = (host: string, isAllowed: boolean) => Promise<readonly LookupAddress[]>;

/** Limit for one query to one name server. */
const ANSWER_MS = 2_000;
const TRIES = 2;
/** Limit for resolving a host, however many name servers there are. */
const MAX_MS = 5_000;

export interface ResolverOptions {
  /** Name servers; unset: those of the system. */
  readonly servers?: readonly string[];
  readonly maxMs?: number;
}

/**
 * Queries the name servers directly. The system resolver holds one of the process's four threads until a silent name
 * server times out after half a minute: hosts that any client may name would block file access and decompression.
 * Neither the hosts file nor the search domains are read, so that no client's host resolves to an internal machine.
 */
export async function resolvePublicHost(
  host: string,
  { servers, maxMs = MAX_MS }: ResolverOptions = {},
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), maxMs);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [...found(v4, 4), ...found(v6, 6)];
}

const found = (answer: PromiseSettledResult<string[]>, family: number): readonly LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

const inProgress = new Map<string, Promise<readonly LookupAddress[]>>();
let last: Promise<unknown> = Promise.resolve();

/** Resolves by the system, with hosts file and search domains; one host at a time. */
function resolveWithSystemResolver(host: string): Promise<readonly LookupAddress[]> {
  const known = inProgress.get(host);
  if (known) return known;
  const answer = last.then(() => lookup(host, { all: true, verbatim: true })).finally(() => inProgress.delete(host));
  inProgress.set(host, answer);
  last = answer.catch(() => undefined);
  return answer;
}

export const resolveWebhookHost: Resolve = (host, isAllowed) =>
  isAllowed ? resolveWithSystemResolver(host) : resolvePublicHost(host);
