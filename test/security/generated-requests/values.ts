import * as fc from 'fast-check';
import { type Schema } from './document';

/** How closely a request follows the document. */
export type Kind = 'valid' | 'boundary' | 'mutated';

/** Part of hostile texts: an error message that contains it repeats its input. */
export const MARK = 'qzxq';

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  `${MARK}\0${MARK}`,
  '\r\nX-Injected: 1',
  '\u202e\u2066',
  '\ud83d\ude00',
  '\ufeff',
  'e\u0301\u0327'.repeat(40),
  '../../../etc/passwd',
  '%00',
  '%',
  "' or 1=1 --",
  '{{7*7}}${7*7}<%= 7*7 %>',
  `<script>alert('${MARK}')</script>`,
  '=1+1',
  'NaN',
  'null',
  'true',
  '-1',
  '1e400',
  '0x10',
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'İıſ',
  '٣٤',
  `${MARK}${'x'.repeat(3000)}`,
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => MARK + text),
);

const HUGE = [0, -0, -1, 1e308, -1e308, 2 ** 53, -(2 ** 53), 1.5, Number.MIN_VALUE, 2 ** 31, 1e21];

const anything: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], ...HUGE),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A value by its schema. */
export function valueOf(schema: Schema, kind: Kind): fc.Arbitrary<unknown> {
  if (kind === 'mutated')
    return fc.oneof({ weight: 4, arbitrary: valueOf(schema, 'valid') }, { weight: 1, arbitrary: anything });
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valueOf(one, kind)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.example !== undefined && kind === 'valid')
    return fc.oneof({ weight: 3, arbitrary: fc.constant(schema.example) }, ofType(schema, kind));
  return ofType(schema, kind);
}

function ofType(schema: Schema, kind: Kind): fc.Arbitrary<unknown> {
  switch ([schema.type ?? []].flat()[0]) {
    case 'string':
      return textOf(schema, kind);
    case 'integer':
    case 'number':
      return numberOf(schema, kind);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listOf(schema, kind);
    case 'object':
      return objectOf(schema, kind);
    default:
      return anything;
  }
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: fc
    .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  uuid: fc.uuid(),
  uri: fc.webUrl({ validSchemes: ['https'] }),
};

const EDGE_DATES = ['0000-00-00', '1880-01-01', '1879-12-31', '2023-02-29', '2024-02-29', '9999-12-31', '10000-01-01'];

function textOf({ format = '', pattern, minLength = 0, maxLength }: Schema, kind: Kind): fc.Arbitrary<string> {
  if (kind === 'boundary') {
    const lengths = [minLength, minLength - 1, minLength + 1, maxLength ?? 5000, (maxLength ?? 0) + 1];
    const texts = lengths.filter((length) => length >= 0).map((length) => 'M'.repeat(length));
    return fc.constantFrom(...texts, ...(format === 'date' ? EDGE_DATES : []));
  }
  if (Object.hasOwn(FORMATS, format)) return FORMATS[format];
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength ?? 30, 30) });
}

function numberOf(schema: Schema, kind: Kind): fc.Arbitrary<number> {
  const { minimum = -1000, maximum = 10_000, multipleOf = 1 } = schema;
  if (kind === 'boundary')
    return fc.constantFrom(minimum, minimum - 1, minimum + 0.5, maximum, maximum + 1, ...HUGE.filter(Number.isFinite));
  return fc
    .integer({ min: Math.ceil(minimum / multipleOf), max: Math.floor(maximum / multipleOf) })
    .map((number) => number * multipleOf);
}

function listOf({ items = {}, minItems = 0, maxItems = 100 }: Schema, kind: Kind): fc.Arbitrary<unknown[]> {
  const few = fc.array(valueOf(items, kind), { minLength: minItems, maxLength: Math.min(maxItems, 4) });
  if (kind !== 'boundary') return few;
  const same = fc.tuple(valueOf(items, 'valid'), fc.constantFrom(0, 1, maxItems, maxItems + 1));
  return fc.oneof(
    few,
    same.map(([value, count]) => Array.from({ length: count }, () => value)),
  );
}

function objectOf({ properties = {}, required = [] }: Schema, kind: Kind): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valueOf(one, kind)]));
  const needed = kind === 'valid' ? required : required.filter((name) => name === 'queries');
  return fc.record(model, { requiredKeys: [...needed] });
}
