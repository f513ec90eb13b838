import { type IncomingHttpHeaders } from 'node:http';

const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** Whether the client takes gzip: named, and not with a quality of 0. */
export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  GZIP.test(String(headers['accept-encoding'] ?? ''));
