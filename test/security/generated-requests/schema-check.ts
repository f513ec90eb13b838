import { type Schema } from './document';

type Json = Readonly<Record<string, unknown>>;

/**
 * Violations of a schema, each with its JSON pointer. It shares no code with the validators of the api, so it can
 * disagree with them.
 */
export function faultsOf(value: unknown, schema: Schema, at = ''): string[] {
  const named = (what: string): string[] => [`${at || '/'} ${what}`];
  if (schema.anyOf) {
    const tried = schema.anyOf.map((one) => faultsOf(value, one, at));
    return tried.some((faults) => faults.length === 0) ? [] : tried.reduce((a, b) => (a.length <= b.length ? a : b));
  }
  if (schema.const !== undefined && value !== schema.const) return named(`is not ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(value)) return named('is none of its choices');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(value, type))) return named(`is no ${types.join(' or ')}`);
  if (typeof value === 'string') return textFaults(value, schema).flatMap(named);
  if (typeof value === 'number') return numberFaults(value, schema).flatMap(named);
  if (Array.isArray(value)) return listFaults(value, schema, at);
  return typeof value === 'object' && value !== null ? objectFaults(value as Json, schema, at) : [];
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

function textFaults(text: string, { minLength = 0, maxLength = Infinity, pattern, format }: Schema): string[] {
  const { length } = [...text];
  return [
    ...(length < minLength || length > maxLength ? ['has a length out of bounds'] : []),
    ...(pattern !== undefined && !new RegExp(pattern, 'u').test(text) ? [`does not fit ${pattern}`] : []),
    ...(format !== undefined && Object.hasOwn(FORMATS, format) && !FORMATS[format].test(text)
      ? [`is no ${format}`]
      : []),
  ];
}

function numberFaults(number: number, { minimum = -Infinity, maximum = Infinity, multipleOf }: Schema): string[] {
  if (number < minimum || number > maximum) return ['is out of bounds'];
  return multipleOf !== undefined && number % multipleOf !== 0 ? [`is no multiple of ${multipleOf}`] : [];
}

function listFaults(list: readonly unknown[], schema: Schema, at: string): string[] {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  if (list.length < minItems || list.length > maxItems) return [`${at || '/'} has a length out of bounds`];
  return items ? list.flatMap((one, nth) => faultsOf(one, items, `${at}/${nth}`)) : [];
}

function objectFaults(value: Json, schema: Schema, at: string): string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}/${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (own === true) return [];
    return own === false ? [`${at}/${name} is not documented`] : faultsOf(inner, own, `${at}/${name}`);
  });
  return [...missing, ...wrong];
}
