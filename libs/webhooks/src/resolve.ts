import { type LookupAddress } from 'node:dns';
import { Resolver, lookup } from 'node:dns/promises';

/** All addresses of a host. `isAllowed`: the operator has named it. */
export type Resolve = (host: string, isAllowed: boolean) => Promise<readonly LookupAddress[]>;

/** Of one question to one name server. */
const ANSWER_MS = 2_000;
const TRIES = 2;
/** Of a look-up, however many name servers there are. */
const MOST_MS = 5_000;

export interface StrangersOptions {
  /** Name servers; unset: those of the system. */
  readonly servers?: readonly string[];
  readonly mostMs?: number;
}

/**
 * Asks the name servers themselves. The system's own look-up holds one of the process's four threads until a silent name
 * server is given up, half a minute later: hosts that anybody may name would stop its files and all that it unpacks.
 * Neither the hosts file nor the system's search domains are read: no stranger's name means a machine of ours.
 */
export async function resolveStranger(
  host: string,
  { servers, mostMs = MOST_MS }: StrangersOptions = {},
): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const late = setTimeout(() => resolver.cancel(), mostMs);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(late);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [...found(v4, 4), ...found(v6, 6)];
}

const found = (answer: PromiseSettledResult<string[]>, family: number): readonly LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
let last: Promise<unknown> = Promise.resolve();

/** As everything else on this machine is found, by its hosts file and search domains, too; one look-up at a time. */
function resolveAllowed(host: string): Promise<readonly LookupAddress[]> {
  const asked = underWay.get(host);
  if (asked) return asked;
  const answer = last.then(() => lookup(host, { all: true, verbatim: true })).finally(() => underWay.delete(host));
  underWay.set(host, answer);
  last = answer.catch(() => undefined);
  return answer;
}

export const resolveBySystem: Resolve = (host, isAllowed) => (isAllowed ? resolveAllowed(host) : resolveStranger(host));
