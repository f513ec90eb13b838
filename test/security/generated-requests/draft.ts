import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { type Operation, type Parameter } from './document';
import { type Kind, valueOf } from './values';

type Pair = readonly [name: string, value: string];

/** A request before it is serialized, so that its parts can be changed one by one. */
export interface Draft {
  readonly kind: Kind;
  readonly operation: Operation;
  readonly method: string;
  /** Percent-encoded already, by name. */
  readonly path: Readonly<Record<string, string>>;
  /** Percent-encoded already. */
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body: Buffer | null;
}

/** Ids of existing batches, inserted when the request is sent. */
export interface Known {
  readonly batchIds: readonly string[];
}

const BOUNDARY = 'boundaryOfTheForm';
/** Placeholder for a batch's id until the request is sent. */
const SOME_BATCH = (nth: number): string => `batch-${nth}-`;

/** A request that the document describes, or a similar one. */
export function draftOf(operation: Operation, kind: Kind): fc.Arbitrary<Draft> {
  return fc
    .record({
      kind: fc.constant(kind),
      operation: fc.constant(operation),
      method: fc.constant(operation.method),
      path: pathOf(operation, kind),
      query: queryOf(operation, kind),
      headers: headersOf(operation, kind),
      body: fc.constant(null),
    })
    .chain((draft) => withBody(draft, operation, kind));
}

const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
/** A lone surrogate is replaced as in a browser, because UTF-8 has no form of it. */
export const escaped = (value: unknown): string => encodeURIComponent(Buffer.from(written(value)).toString());

const inPart = (operation: Operation, part: Parameter['in']): readonly Parameter[] =>
  operation.parameters.filter((one) => one.in === part);

/** Mostly the example of the document, because it has results. */
function parameterOf({ name, schema, example }: Parameter, kind: Kind): fc.Arbitrary<unknown> {
  const value = valueOf(schema, kind);
  const known = name === 'id' ? fc.nat({ max: 63 }).map(SOME_BATCH) : fc.constant(example);
  return name === 'id' || example !== undefined ? fc.oneof({ weight: 2, arbitrary: known }, value) : value;
}

function pathOf(operation: Operation, kind: Kind): fc.Arbitrary<Record<string, string>> {
  const parameters = inPart(operation, 'path').map((one) => [one.name, parameterOf(one, kind).map(escaped)] as const);
  return fc.record(Object.fromEntries(parameters));
}

function queryOf(operation: Operation, kind: Kind): fc.Arbitrary<Pair[]> {
  const pairs = inPart(operation, 'query').map((one) =>
    fc
      .option(parameterOf(one, kind), { nil: undefined, freq: 2 })
      .map((value): Pair[] =>
        value === undefined ? [] : [value].flat().map((single): Pair => [nameOf(one), escaped(single)]),
      ),
  );
  return fc.tuple(...pairs).map((found) => found.flat());
}

/** `map.{field}` stands for several. */
const nameOf = ({ name }: Parameter): string => name.replace('{field}', 'first_name');

const ACCEPTS = ['*/*', 'application/json', 'text/html,application/xhtml+xml', 'application/x-ndjson;q=0.5, */*;q=0.1'];
/** Few, so that some are repeated with the same and with another body. */
const IDEMPOTENCY_KEYS = ['one', 'two', 'three', 'four'];
const PREFERS = ['respond-async', 'wait=0', 'wait=1', 'respond-async, wait=5', 'return=minimal'];

function headersOf(operation: Operation, kind: Kind): fc.Arbitrary<Pair[]> {
  const types = Object.values(operation.answers).flatMap((content) => Object.keys(content));
  const own: Record<string, fc.Arbitrary<string>> = {
    Prefer: fc.constantFrom(...PREFERS),
    'Idempotency-Key': fc.constantFrom(...IDEMPOTENCY_KEYS),
    'If-None-Match': fc.constantFrom('*', '"none"', 'W/"weak"', 'never'),
    'Webhook-Url': fc.constantFrom('https://receiver.example/hook', 'http://127.0.0.1:1/', 'never'),
    Accept: fc.constantFrom(...ACCEPTS, ...types),
    'Accept-Encoding': fc.constantFrom('gzip', 'identity', 'br, gzip;q=0', '*'),
  };
  const names = [...inPart(operation, 'header').map(({ name }) => name), 'Accept', 'Accept-Encoding'];
  const pairs = names.map((name) =>
    fc
      .option(own[name] ?? fc.constant(kind), { nil: undefined })
      .map((value): Pair[] => (value === undefined ? [] : [[name, value]])),
  );
  return fc.tuple(...pairs).map((found) => found.flat());
}

function withBody(draft: Draft, { bodies }: Operation, kind: Kind): fc.Arbitrary<Draft> {
  const types = Object.keys(bodies);
  if (types.length === 0) return fc.constant(draft);
  return fc.constantFrom(...types).chain((type) =>
    bodyOf(type, bodies[type], bodies, kind).map((body) => ({
      ...draft,
      body,
      headers: [
        ...draft.headers,
        ['Content-Type', type.startsWith('multipart') ? `${type}; boundary=${BOUNDARY}` : type] as const,
      ],
    })),
  );
}

function bodyOf(
  type: string,
  { schema, example }: Operation['bodies'][string],
  all: Operation['bodies'],
  kind: Kind,
): fc.Arbitrary<Buffer> {
  if (type === 'application/json') {
    const value = valueOf(schema, kind);
    const usual = example === undefined ? value : fc.oneof(fc.constant(example), value);
    return usual.map((one) => Buffer.from(JSON.stringify(one)));
  }
  const rows =
    kind === 'valid'
      ? rowsOf()
      : fc.oneof(
          rowsOf(),
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        );
  if (type === 'application/gzip') return rows.map((bytes) => gzipSync(bytes));
  if (type.startsWith('multipart')) return rows.map((bytes) => formOf(bytes));
  const text = all[type].example;
  return typeof text === 'string' ? fc.oneof(fc.constant(Buffer.from(text)), rows) : rows;
}

const rowsOf = (): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.tuple(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('2016-10-01', '10/1/2016', 'never', '')),
      { maxLength: 5 },
    )
    .map((rows) =>
      Buffer.from(
        ['first_name,date', ...rows.map(([name, date]) => `"${name.replaceAll('"', '""')}",${date}`)].join('\n'),
      ),
    );

/** A form with one file, as a browser sends it. */
export const formOf = (file: Buffer, filename = 'donors.csv'): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
