import { type Answer, type WireRequest } from './request-sender';
import { type Operation, operationsAt, type Schema } from './document';
import { faultsOf } from './schema-check';
import { MARK } from './values';

/** What no answer may contain: stack frames, file paths, database messages. */
const INTERNALS =
  /\n\s+at \S+|\(\S+:\d+:\d+\)|node_modules|\/(?:tmp|home|work|root|usr)\/|\bdist\/|\.[jt]s:\d+|syntax error at or near|relation "|duplicate key value|invalid byte sequence|\bECONN|TypeError|RangeError|Cannot read prop/;

/** Statuses of paths that the document does not list. */
const UNDOCUMENTED_PATH_STATUSES = [200, 204, 302, 303, 304, 308, 400, 401, 403, 404, 405, 413, 414, 415, 417, 431];

/** How an answer differs from the document; empty if it does not. */
export function faultsOfAnswer(operations: readonly Operation[], request: WireRequest, answer: Answer): string[] {
  const [path] = request.target.split(/[?#]/, 1);
  const here = operationsAt(operations, path);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const operation = here.find((one) => one.method === method);
  return [
    ...(answer.status >= 500 ? [`is a ${answer.status}`] : []),
    ...(operation ? operationFaults(operation, request, answer) : undocumentedPathFaults(here, answer)),
    ...(answer.status >= 400 ? problemFaults(operations, request, answer) : []),
    ...internalsFaults(answer),
    ...(answer.headers['x-request-id'] === undefined ? ['has no X-Request-Id'] : []),
  ];
}

const mediaType = ({ headers }: Answer): string => (headers['content-type'] ?? '').split(';')[0];

function operationFaults(operation: Operation, request: WireRequest, answer: Answer): string[] {
  if (!Object.hasOwn(operation.answers, answer.status)) return [`${answer.status} is not documented`];
  const content = operation.answers[answer.status];
  if (Object.keys(content).length === 0 || request.method === 'HEAD')
    return answer.body.length > 0 ? ['has a body where none is documented'] : [];
  const type = mediaType(answer);
  if (answer.status >= 400) return [];
  if (!Object.hasOwn(content, type)) return [`${type || 'no media type'} is not documented for ${answer.status}`];
  return bodyFaults(type, content[type].schema, answer).map((fault) => `${fault} in ${answer.status}`);
}

function undocumentedPathFaults(here: readonly Operation[], { status, headers }: Answer): string[] {
  if (!UNDOCUMENTED_PATH_STATUSES.includes(status)) return [`${status} is not expected of an undocumented path`];
  return here.length > 0 && status === 405 && headers.allow === undefined ? ['405 without Allow'] : [];
}

function bodyFaults(type: string, schema: Schema, { body }: Answer): string[] {
  const text = body.toString('utf8');
  if (type === 'application/json') return jsonFaults(text, schema);
  if (type === 'application/x-ndjson')
    return text
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => jsonFaults(line, {}));
  if (type === 'text/csv') return body.length > 0 && !text.endsWith('\n') ? ['CSV without an end'] : [];
  return [];
}

function jsonFaults(text: string, schema: Schema): string[] {
  try {
    return faultsOf(JSON.parse(text), schema);
  } catch {
    return ['no JSON'];
  }
}

/** A page if the client prefers HTML, else a problem document. */
function problemFaults(operations: readonly Operation[], request: WireRequest, answer: Answer): string[] {
  if (request.method === 'HEAD') return [];
  const type = mediaType(answer);
  const wantsPage =
    /[?&]format=html\b/.test(request.target) ||
    request.headers.some(([, value]) => value.includes('text/html') || value === 'navigate');
  if (type === 'text/html') return wantsPage ? [] : ['is a page that was not requested'];
  if (type !== 'application/problem+json') return [`is a ${answer.status} as ${type || 'nothing'}`];
  const text = answer.body.toString('utf8');
  const [{ answers }] = operations;
  const faults = jsonFaults(text, answers['500']['application/problem+json'].schema);
  const { status } = faults.includes('no JSON') ? { status: 0 } : (JSON.parse(text) as { status: number });
  return [
    ...faults.map((fault) => `${fault} in a problem`),
    ...(status === answer.status ? [] : [`says ${status} and is ${answer.status}`]),
    ...(text.includes(MARK) ? ['repeats its input'] : []),
  ];
}

function internalsFaults(answer: Answer): string[] {
  if (answer.status < 400) return [];
  const found = INTERNALS.exec(answer.body.toString('utf8'));
  return found ? [`shows internals: ${found[0].trim().slice(0, 60)}`] : [];
}
