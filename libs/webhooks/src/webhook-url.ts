import { isIP } from 'node:net';
import { DomainError } from '@donorlens/primitives';
import { isPublicAddress } from './public-address';

export const MOST_URL_CHARACTERS = 2_000;
const HTTPS_PORT = 443;
/** Below it are ports of services that speak no HTTP: mail, remote shells, files. */
const FIRST_FREE_PORT = 1024;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
/** Names that lead to no public address wherever they are asked for. */
const NOT_PUBLIC =
  /^(localhost|[^.]+)$|\.(localhost|localdomain|local|internal|intranet|private|lan|home|corp|svc|test|example|invalid|onion|arpa)$/;

/** The URL cannot be told the end of a batch; the message says why and never repeats it. */
export class WebhookUrlError extends DomainError {
  readonly code = 'webhook_url';
}

/** Host of a URL as names are compared: no brackets around an IPv6 address, no dot at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Whether the operator has allowed this host, on any port or on that of the URL. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const host = url.hostname.replace(/\.$/, '');
  return allowedHosts.includes(host) || allowedHosts.includes(`${host}:${url.port || DEFAULT_PORTS[url.protocol]}`);
}

/**
 * Checks what can be known of a URL without asking anybody. Its host is resolved, and checked again, when a message is
 * sent.
 * @param allowedHosts  `host` or `host:port`, lower case; these may be private, and take plain http
 * @returns  the URL as it is kept: written in the one way in which URLs are compared
 * @throws WebhookUrlError
 */
export function checkWebhookUrl(text: string, allowedHosts: readonly string[]): string {
  if (text.length > MOST_URL_CHARACTERS)
    throw new WebhookUrlError(`must have at most ${MOST_URL_CHARACTERS} characters`);
  const url = parsed(text);
  if (url.username !== '' || url.password !== '')
    throw new WebhookUrlError('must have no user or password in it: check the signature of each message instead');
  if (!isAllowedHost(url, allowedHosts)) checkPublic(url);
  url.hash = ''; // never sent
  return url.href;
}

function checkPublic(url: URL): void {
  if (url.protocol !== 'https:')
    throw new WebhookUrlError(
      'must begin with https://, but for hosts that the operator names in WEBHOOK_ALLOWED_HOSTS',
    );
  checkPort(url);
  checkHost(hostOf(url));
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !(url.protocol in DEFAULT_PORTS))
    throw new WebhookUrlError('must be a whole URL, as in https://hooks.example.org/donorlens');
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
      'must lead to a public address; the operator of this service can allow a private host by WEBHOOK_ALLOWED_HOSTS',
    );
}
