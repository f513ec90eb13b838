import { gzipSync } from 'node:zlib';
import { type Draft, escaped } from './draft';
import { type WireRequest } from './request-sender';

/** A change of a request: a number chooses where, a text what. */
type Mutation<T> = (request: T, nth: number, text: string) => T;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'QUERY'];
const TYPES = [
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=other',
  'application/xml',
  '*/*',
  ';',
  'json',
];
const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'br'],
  ['Content-Encoding', 'gzip, gzip'],
  ['Range', 'bytes=0-1'],
  ['If-Modified-Since', 'never'],
  ['Expect', '100-continue'],
  ['Expect', 'unknown'],
  ['Origin', 'null'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Cookie', 'donorlens=%%%; a=b; =; ;;'],
  ['X-Forwarded-Proto', 'https, gopher'],
  ['X-Forwarded-For', '::1, %'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['traceparent', '00-not-a-trace-01'],
  ['Accept', 'text/html;q=zero, */*;q=-1, ,,;'],
  ['Accept-Encoding', 'gzip;q=, *;q=0'],
  ['Prefer', 'wait=99999999999, respond-async; x=";"'],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Basic Zm9vOmJhcg=='],
];

const at = <T>(list: readonly T[], nth: number): T => list[nth % list.length];
const changed = <T>(list: readonly T[], nth: number, change: (one: T) => readonly T[]): T[] =>
  list.flatMap((one, index) => (index === nth % list.length ? change(one) : [one]));

/** Changes of a request before it is serialized. */
export const DRAFT_MUTATIONS: Readonly<Record<string, Mutation<Draft>>> = {
  'another method': (draft, nth) => ({ ...draft, method: at(METHODS, nth) }),
  'another value in the path': (draft, nth, text) => {
    const names = Object.keys(draft.path);
    return names.length === 0 ? draft : { ...draft, path: { ...draft.path, [at(names, nth)]: escaped(text) } };
  },
  'another value': (draft, nth, text) => ({
    ...draft,
    query: changed(draft.query, nth, ([name]) => [[name, escaped(text)]]),
  }),
  'a repeated parameter': (draft, nth) => ({ ...draft, query: changed(draft.query, nth, (pair) => [pair, pair]) }),
  'a parameter a hundred times': (draft, nth) => ({
    ...draft,
    query: changed(draft.query, nth, (pair) => Array.from({ length: 100 + (nth % 2) }, () => pair)),
  }),
  'a missing parameter': (draft, nth) => ({ ...draft, query: changed(draft.query, nth, () => []) }),
  'a parameter too many': (draft, _nth, text) => ({ ...draft, query: [...draft.query, [escaped(text), 'x']] }),
  'a parameter as if it had members': (draft, nth) => ({
    ...draft,
    query: changed(draft.query, nth, ([name, value]) => [[`${name}[a][]`, value]]),
  }),
  'a mapping of columns': (draft, _nth, text) => ({
    ...draft,
    query: [...draft.query, [`map.${escaped(text)}`, escaped(text)]],
  }),
  'another content type': (draft, nth) => ({
    ...draft,
    headers: changed(draft.headers, draft.headers.length - 1, ([name]) => [[name, at(TYPES, nth)]]),
  }),
  'a header too many': (draft, nth) => ({ ...draft, headers: [...draft.headers, at(HEADERS, nth)] }),
  'a repeated header': (draft, nth) => ({ ...draft, headers: changed(draft.headers, nth, (pair) => [pair, pair]) }),
  'another header value': (draft, nth, text) => ({
    ...draft,
    headers: changed(draft.headers, nth, ([name]) => [[name, text.replace(/[^\x20-\x7e\x80-\xff]/g, '?').trim()]]),
  }),
  'a key in the URL, too': (draft, nth) => ({ ...draft, query: [...draft.query, [at(['apiKey', 'token'], nth), 'x']] }),
  'a body cut short': (draft, nth) => ({
    ...draft,
    body: draft.body && draft.body.subarray(0, nth % (draft.body.length + 1)),
  }),
  'a body twice': (draft) => ({ ...draft, body: draft.body && Buffer.concat([draft.body, draft.body]) }),
  'a body with a byte changed': (draft, nth) => {
    const body = Buffer.from(draft.body ?? '');
    if (body.length > 0) body[nth % body.length] = nth & 0xff;
    return { ...draft, body: draft.body && body };
  },
  'another body': (draft, _nth, text) => ({ ...draft, body: Buffer.from(text) }),
  'a text of the body changed': (draft, nth, text) => ({
    ...draft,
    body: draft.body && replaced(draft.body, nth, text),
  }),
  'a key of the body twice': (draft) => ({
    ...draft,
    body: draft.body && Buffer.from(draft.body.toString('latin1').replace('{"', '{"queries":0,"'), 'latin1'),
  }),
  'a body in a list': (draft, nth) => ({
    ...draft,
    body:
      draft.body && Buffer.concat([Buffer.from('['.repeat(nth % 20)), draft.body, Buffer.from(']'.repeat(nth % 20))]),
  }),
  'a compressed body': (draft, nth) => ({
    ...draft,
    body: draft.body && gzipSync(draft.body).subarray(0, nth % 3 === 0 ? -4 : undefined),
    headers: [...draft.headers, ['Content-Encoding', 'gzip']],
  }),
};

/** One JSON text of the body by another. */
function replaced(body: Buffer, nth: number, text: string): Buffer {
  const written = body.toString('utf8');
  const texts = [...written.matchAll(/"(?:[^"\\]|\\.)*"/g)];
  if (texts.length === 0) return body;
  const { 0: found, index } = at(texts, nth);
  return Buffer.from(written.slice(0, index) + JSON.stringify(text) + written.slice(index + found.length));
}

const BROKEN = ['%', '%2', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%00', '\xe9', '%252e', '+', ';', '#', '|', '"', '<'];

const inserted = (text: string, nth: number, part: string): string => {
  const place = nth % (text.length + 1);
  return text.slice(0, place) + part + text.slice(place);
};

/** Changes of a serialized request. */
export const WIRE_MUTATIONS: Readonly<Record<string, Mutation<WireRequest>>> = {
  'a broken escape': (request, nth) => ({ ...request, target: inserted(request.target, nth >> 4, at(BROKEN, nth)) }),
  'an extra slash': (request, nth) => ({ ...request, target: inserted(request.target, nth, '/') }),
  'parent folders in the path': (request, nth) => ({
    ...request,
    target: inserted(request.target, nth, at(['/../', '/./', '/%2e%2e/', '/..%2f', '\\..\\'], nth)),
  }),
  'a path cut short': (request, nth) => ({
    ...request,
    target: request.target.slice(0, 1 + (nth % request.target.length)),
  }),
  'letters of the other case': (request) => ({
    ...request,
    target: request.target.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  }),
  'a very long URL': (request, nth) => ({
    ...request,
    target: `${request.target}${request.target.includes('?') ? '&' : '?'}x=${'x'.repeat(at([7000, 8000, 9000, 15_000], nth))}`,
  }),
  'many parameters': (request, nth) => ({
    ...request,
    target: `${request.target}${request.target.includes('?') ? '&' : '?'}${'x&'.repeat(at([99, 999, 1001, 3000], nth))}`,
  }),
  'another path': (request, nth) => ({
    ...request,
    target: at(['/', '//', '/?', '/enrich', '/enrich/v1', '/data-charts/v1/', '*', '/openapi.json/x'], nth),
  }),
  'no key': (request) => ({ ...request, headers: request.headers.filter(([name]) => name !== 'X-API-Key') }),
  'another key': (request, _nth, text) => ({
    ...request,
    headers: request.headers.map(([name, value]) =>
      name === 'X-API-Key' ? [name, text.replace(/[^\x20-\x7e\x80-\xff]/g, '?').trim()] : [name, value],
    ),
  }),
  'no Content-Length': (request) => ({
    ...request,
    headers: request.headers.filter(([name]) => name !== 'Content-Length'),
  }),
  'another host': (request, nth) => ({
    ...request,
    headers: request.headers.map(([name, value]) =>
      name === 'Host' ? [name, at(['', 'x', 'a:b:c', '[::', '127.0.0.1:0'], nth)] : [name, value],
    ),
  }),
};
