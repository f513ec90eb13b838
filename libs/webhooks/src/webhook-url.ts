import { isIP } from 'node:net';
import { DomainError } from '@donorlens/primitives';
import ipaddr from 'ipaddr.js';

const MAX_URL_CHARACTERS = 2_000;
const HTTPS_PORT = 443;
/** Lower ports belong to services without HTTP: mail, remote shells, files. */
const FIRST_FREE_PORT = 1024;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
/** Names that never resolve to a public address. */
const NOT_PUBLIC =
  /^(localhost|[^.]+)$|\.(localhost|localdomain|local|internal|intranet|private|lan|home|corp|svc|test|example|invalid|onion|arpa)$/;

/** The URL cannot receive webhooks; the message says why and does not repeat the URL. */
export class WebhookUrlError extends DomainError {
  readonly code = 'webhook_url';
}

/** Host of a URL for comparison: without the brackets of an IPv6 address and without a final dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Whether WEBHOOK_ALLOWED_HOSTS has this host, on any port or on the port of the URL. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const host = url.hostname.replace(/\.$/, '');
  return allowedHosts.includes(host) || allowedHosts.includes(`${host}:${url.port || DEFAULT_PORTS[url.protocol]}`);
}

/**
 * Checks a URL without resolving its host; the host is resolved and checked when a message is sent.
 * @param allowedHosts - `host` or `host:port`, lower case; these may be private and may use plain http
 * @returns the normalized URL
 * @throws WebhookUrlError
 */
export function checkWebhookUrl(text: string, allowedHosts: readonly string[]): string {
  if (text.length > MAX_URL_CHARACTERS) throw new WebhookUrlError(`must have at most ${MAX_URL_CHARACTERS} characters`);
  const url = parsed(text);
  if (url.username !== '' || url.password !== '')
    throw new WebhookUrlError('must have no user or password in it: check the signature of each message instead');
  if (!isAllowedHost(url, allowedHosts)) checkPublic(url);
  url.hash = ''; // never sent
  return url.href;
}

function checkPublic(url: URL): void {
  if (url.protocol !== 'https:')
    throw new WebhookUrlError('must begin with https://, unless the operator lists the host in WEBHOOK_ALLOWED_HOSTS');
  checkPort(url);
  checkHost(hostOf(url));
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !(url.protocol in DEFAULT_PORTS))
    throw new WebhookUrlError('must be an absolute URL, such as https://hooks.example.org/donorlens');
  return url;
}

function checkPort({ port }: URL): void {
  const number = port === '' ? HTTPS_PORT : Number(port);
  if (number !== HTTPS_PORT && number < FIRST_FREE_PORT)
    throw new WebhookUrlError(`must have port ${HTTPS_PORT}, or one from ${FIRST_FREE_PORT} on`);
}

function checkHost(host: string): void {
  if (isIP(host) === 0 ? NOT_PUBLIC.test(host) : !isPublicAddress(host))
    throw new WebhookUrlError(
      'must have a public address; the operator can allow a private host in WEBHOOK_ALLOWED_HOSTS',
    );
}

/** All public IPv6 addresses are in this block. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** A public address at which machines of Azure reach the cloud's own services. */
const CLOUD_SERVICES = '168.63.129.16';

/**
 * Whether an IP address is a machine of the public Internet. Special-purpose addresses are not: private and shared
 * networks, this host, link-local (where clouds serve credentials), multicast, documentation, and each form of IPv6 that
 * contains an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv6'
    ? (address as ipaddr.IPv6).match(GLOBAL_UNICAST)
    : address.toString() !== CLOUD_SERVICES;
}
