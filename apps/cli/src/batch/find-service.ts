import { type ClientConfig } from '@donorlens/config';
import { dependencyError, usageError } from '../exit-code';
import { type Home, readPrivate } from '../home/home';
import { readRunInfo } from '../home/run-file';
import { ServiceClient } from './service-client';

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True for a service on this machine: nothing is gained by compressing, and the key of this home may be meant. */
export const isLocal = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/** @throws CliError with exit code 3 where there is no service to talk to, 2 where there is no key */
export function findService(options: ServiceOptions, config: ClientConfig, home: Home): ServiceClient {
  const url = options.url ? checkedUrl(options.url) : (config.url ?? readRunInfo(home)?.url);
  if (!url)
    throw dependencyError(`no donorlens runs on ${home.root}: start one with npm start, or name one with --url`);
  const key = options.key ?? config.key ?? config.bootstrapKey ?? (isLocal(url) ? readPrivate(home.key) : null);
  if (!key) throw usageError('no access key: give --key, or set DONORLENS_KEY');
  return new ServiceClient(url, key);
}

function checkedUrl(text: string): string {
  try {
    if (/^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  } catch {
    // told below
  }
  throw usageError(`--url ${text} is not an http: or https: URL`);
}
