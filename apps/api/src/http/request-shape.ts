import { type IncomingMessage } from 'node:http';
import { Problem } from './problem';

/** Browsers and proxies send some dozens. Node keeps 2,000 and drops the rest without a word. */
const MOST_HEADERS = 200;

/**
 * What node's parser lets pass and a server on the way may have read in another way.
 * @throws Problem 400, 431
 */
export function checkRequestShape({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new Problem('invalid-request', 'A request of HTTP/1.1 names its host.');
  if (rawHeaders.length > 2 * MOST_HEADERS)
    throw new Problem('headers-too-large', `A request has at most ${MOST_HEADERS} headers here.`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new Problem('invalid-request', 'Transfer-Encoding: chunked is the one that is known.');
}
