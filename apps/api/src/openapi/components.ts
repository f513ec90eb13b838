import { z } from 'zod';

export type Json = Record<string, unknown>;

const OWN = '#/$defs/';
const SHARED = '#/components/schemas/';

/** The named schemas of a document (those with an id in their meta): each stands there once, and is referred to elsewhere. */
export class Components {
  readonly schemas: Json = {};

  /** JSON Schema of a zod schema; OpenAPI 3.1 takes it as it is. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
    const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const { $defs = {}, ...own } = shared(json) as Json & { $defs?: Json };
    delete own.$schema; // the document states its dialect once
    Object.assign(this.schemas, $defs);
    return own;
  }
}

/** What every number of JavaScript that counts is anyway. Said, it stands in the examples that tools make of a schema. */
const isBound = (key: string, value: unknown): boolean =>
  (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) || (key === 'maximum' && value === Number.MAX_SAFE_INTEGER);

/** The same with references to where named schemas stand in the document. */
function shared(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(shared);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).filter(([key, value]) => !isBound(key, value));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? value.replace(OWN, SHARED) : shared(value),
    ]),
  );
}
