/** A schema of the document, without references. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

/** One method of one path in the document. */
export interface Operation {
  readonly method: string;
  /** As in `/enrich/v1/batches/{id}`. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  /** By media type. */
  readonly bodies: Readonly<Record<string, Content>>;
  /** By status, then by media type. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, Content>>>>;
}

interface Written {
  readonly paths: Record<string, Record<string, WrittenOperation>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

interface WrittenOperation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { readonly content?: Record<string, Content> }>;
}

/** The operations of /openapi.json as this api serves it. */
export async function operationsOf(url: string): Promise<readonly Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Written;
  const { paths } = inlined(document, document.components.schemas) as Written;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => ({
      method: method.toUpperCase(),
      template,
      parameters,
      bodies: requestBody?.content ?? {},
      answers: Object.fromEntries(Object.entries(responses).map(([status, { content = {} }]) => [status, content])),
    })),
  );
}

/** Replaces each reference by the schema. */
function inlined(node: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((one) => inlined(one, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if ($ref !== undefined) return inlined(schemas[$ref.replace('#/components/schemas/', '')], schemas);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, schemas)]));
}

/** Operations of any method whose template matches a path. */
export function operationsAt(operations: readonly Operation[], path: string): readonly Operation[] {
  const asked = segments(decoded(path));
  const fits = ({ template }: Operation): boolean => {
    const parts = segments(template);
    return (
      parts.length === asked.length &&
      parts.every((part, at) => (part.startsWith('{') ? asked[at] !== '' : part === asked[at]))
    );
  };
  const found = operations.filter(fits);
  const isExact = ({ template }: Operation): boolean => !template.includes('{');
  return found.some(isExact) ? found.filter(isExact) : found; // as in routers, a literal path takes precedence
}

/** The trailing slash makes no difference. */
const segments = (path: string): string[] => path.replace(/\/$/, '').split('/');

/** Like routers, keeps the escapes of reserved characters. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
