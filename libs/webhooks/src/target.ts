import { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address';
import { type Resolve } from './resolve';
import { SendFault } from './send-fault';
import { checkWebhookUrl, hostOf, isAllowedHost } from './webhook-url';

/** Where a message goes: the connection is made to one of these addresses, whatever the host's name says a moment later. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

/**
 * Resolves a host once. One address that is not public is enough to refuse all of them.
 * @throws SendFault where nothing may be sent there
 */
export async function targetOf(text: string, allowedHosts: readonly string[], resolve: Resolve): Promise<Target> {
  try {
    checkWebhookUrl(text, allowedHosts);
  } catch {
    throw new SendFault('url_refused'); // allowed when the batch was sent, and no more
  }
  const url = new URL(text);
  const mayBePrivate = isAllowedHost(url, allowedHosts);
  const addresses = await addressesOf(hostOf(url), (host) => resolve(host, mayBePrivate));
  if (!mayBePrivate && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new SendFault('private_address');
  return { url, addresses };
}

async function addressesOf(
  host: string,
  resolve: (host: string) => ReturnType<Resolve>,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new SendFault('unknown_host');
  return addresses;
}
