import { type z } from 'zod';
import { type Fault, invalidRequest, type Problem } from '../http/problem';
import { checkShape } from '../http/json-body';
import { faultWords } from './fault-words';

/** A query lies in the list, which lies in the body. */
export const AROUND_QUERY = 2;

/** The array of a bulk body. Everything else about the items is the caller's to check. @throws Problem 400 */
export function queriesOf(body: unknown, schema: z.ZodType): unknown[] {
  const queries = (body as { queries?: unknown } | null)?.queries;
  if (!Array.isArray(queries) || queries.length === 0) throw faultsOf(body, schema);
  for (const key in body as object) if (key !== 'queries') checkShape(body);
  return queries;
}

/** Names everything wrong with a body that the fast check has refused. */
export function faultsOf(body: unknown, schema: z.ZodType): Problem {
  checkShape(body);
  const parsed = schema.safeParse(body, { error: faultWords });
  if (parsed.success) throw new Error('the fast check and the schema disagree');
  return invalidRequest(parsed.error.issues.map(faultOf));
}

/** JSON pointer of RFC 6901. */
const faultOf = ({ path, message }: z.core.$ZodIssue): Fault => ({
  pointer: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  detail: message,
});
