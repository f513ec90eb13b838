import { connect } from 'node:net';

/** An ambiguous or oversized request, and the statuses that refuse it. */
export interface MalformedRequest {
  readonly what: string;
  readonly bytes: string;
  /** Empty: the connection is closed without an answer. */
  readonly statuses: readonly number[];
}

const POST = 'POST /enrich/v1/age_gender HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
/** A second request that request smuggling would get answered. */
const SMUGGLED = 'GET /health/live HTTP/1.1\r\nHost: smuggled\r\n\r\n';
const many = (count: number): string => Array.from({ length: count }, (_, at) => `X-H${at}: x\r\n`).join('');

export const MALFORMED_REQUESTS: readonly MalformedRequest[] = [
  {
    what: 'Content-Length and Transfer-Encoding',
    bytes: `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'Transfer-Encoding and Content-Length',
    bytes: `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'two lengths',
    bytes: `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'the same length twice',
    bytes: `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'two lengths in one header',
    bytes: `${POST}Content-Length: 5, 5\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  { what: 'a length with a sign', bytes: `${POST}Content-Length: +5\r\n\r\n0\r\n\r\n${SMUGGLED}`, statuses: [400] },
  { what: 'a negative length', bytes: `${POST}Content-Length: -1\r\n\r\n${SMUGGLED}`, statuses: [400] },
  { what: 'a length in hexadecimal', bytes: `${POST}Content-Length: 0x5\r\n\r\n0\r\n\r\n${SMUGGLED}`, statuses: [400] },
  {
    what: 'a length beyond 2^64',
    bytes: `${POST}Content-Length: 99999999999999999999\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'an unknown Transfer-Encoding',
    bytes: `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'chunked and a second coding',
    bytes: `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'Transfer-Encoding with a blank before the colon',
    bytes: `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  {
    what: 'Transfer-Encoding behind a folded line',
    bytes: `${POST}X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  { what: 'a folded header', bytes: `${GET}X-Folded: a\r\n b\r\n\r\n`, statuses: [400] },
  {
    what: 'lines that end with LF alone',
    bytes: `${POST}Content-Length: 5\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    statuses: [400],
  },
  { what: 'a bare CR in a header', bytes: `${GET}X: a\rContent-Length: 5\r\n\r\n`, statuses: [400] },
  { what: 'a NUL in a header', bytes: `${GET}X: a\0b\r\n\r\n`, statuses: [400] },
  { what: 'a header without a name', bytes: `${GET}: x\r\n\r\n`, statuses: [400] },
  { what: 'a header without a colon', bytes: `${GET}X\r\n\r\n`, statuses: [400] },
  { what: 'a blank before the first header', bytes: `GET /health/live HTTP/1.1\r\n Host: x\r\n\r\n`, statuses: [400] },
  {
    what: 'a chunk of a wrong size',
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n`,
    statuses: [400, 401],
  },
  {
    what: 'a chunk size beyond 2^64',
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n`,
    statuses: [400, 401],
  },
  { what: 'no host', bytes: 'GET /health/live HTTP/1.1\r\n\r\n', statuses: [400] },
  { what: 'an unknown version', bytes: 'GET /health/live HTTP/3.7\r\nHost: x\r\n\r\n', statuses: [400, 505] },
  { what: 'an unknown method', bytes: 'FROB /health/live HTTP/1.1\r\nHost: x\r\n\r\n', statuses: [400, 405] },
  { what: 'another protocol', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', statuses: [400] },
  {
    what: 'a tunnel',
    bytes: 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n',
    statuses: [],
  },
  { what: 'a header of 20 kB', bytes: `${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`, statuses: [431] },
  { what: 'headers of 30 kB together', bytes: `${GET}${many(3000)}\r\n`, statuses: [431] },
  { what: '1,000 headers', bytes: `${GET}${many(1000)}\r\n`, statuses: [431] },
  { what: 'a URL of 10 kB', bytes: `GET /?${'x'.repeat(10_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, statuses: [414] },
  { what: 'a URL of 100 kB', bytes: `GET /?${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, statuses: [414, 431] },
  {
    what: 'chunk extensions of 100 kB',
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(100_000)}\r\nx\r\n0\r\n\r\n`,
    statuses: [401, 413],
  },
];

const WAIT_MS = 20_000;

/** Sends the bytes and reads until the api closes the connection or sends nothing for two seconds. */
export function sendRaw(port: number, { bytes }: MalformedRequest): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes, 'latin1')));
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(WAIT_MS, end);
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      socket.setTimeout(2000, end);
    });
    socket.on('error', end).on('close', end);
  });
}

/** Faults of an answer: another status, no problem document, or a second answer. */
export function malformedRequestFaults({ what, statuses: expected }: MalformedRequest, answer: string): string[] {
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  if (statuses.length === 0) return expected.length === 0 ? [] : [`${what}: no answer`];
  const [status] = statuses;
  return [
    ...(expected.includes(status) ? [] : [`${what}: ${status}`]),
    ...(status >= 400 && !answer.includes('application/problem+json')
      ? [`${what}: ${status} without a problem document`]
      : []),
    ...(statuses.length > 1 && statuses.includes(200) ? [`${what}: a second request was answered`] : []),
  ];
}
