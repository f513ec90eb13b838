import { z } from 'zod';
import { MOST_FAULTS, type ProblemCode, PROBLEMS } from '../http/problem';
import { type RoutePolicy } from '../http/route-policy';
import { type Json } from './components';

/** Faults that any route may answer with, and those that any route behind a key may. */
const OF_EVERY_ROUTE: readonly ProblemCode[] = [
  'invalid-request',
  'method-not-allowed',
  'url-too-long',
  'unknown-expectation',
  'headers-too-large',
  'internal',
];
const BEHIND_A_KEY: readonly ProblemCode[] = ['ambiguous-key', 'unauthorized', 'missing-scope', 'rate-limited'];
const WITH_A_BODY: readonly ProblemCode[] = ['request-timeout', 'unsupported-media-type', 'unsupported-encoding'];

/** A problem says more in members of its own, such as the line of a bad row: which ones depends on its code. */
export const problemSchema = z
  .looseObject({
    type: z.string().describe('urn:donorlens:problem: and the code.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    instance: z.string().optional().describe("The request's id, as in X-Request-Id; a 401 has none."),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer into the body, /path/… or /query/…'),
          detail: z.string(),
        }),
      )
      .max(MOST_FAULTS)
      .optional(),
  })
  .meta({
    id: 'Problem',
    example: {
      type: 'urn:donorlens:problem:invalid-request',
      title: PROBLEMS['invalid-request'][1],
      status: 400,
      detail: 'The input has one fault.',
      code: 'invalid-request',
      instance: 'urn:uuid:6f2c1f0e-5f4b-4c55-9d3e-2a1b7c8d9e0f',
      errors: [{ pointer: '/queries/0/date', detail: 'must be a real date yyyy-mm-dd' }],
    },
  });

const problemsOf = (policy: RoutePolicy): ProblemCode[] => [
  ...OF_EVERY_ROUTE,
  ...(policy.access === 'public' ? [] : BEHIND_A_KEY),
  ...(policy.body ? WITH_A_BODY : []),
  ...(policy.problems ?? []),
];

/** What a route answers when it does not succeed, by status. */
export function errorAnswers(policy: RoutePolicy, problem: Json): Json {
  const codes = problemsOf(policy);
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code][0]))].sort();
  const answerOf = (status: number): Json => ({
    description: codes
      .filter((code) => PROBLEMS[code][0] === status)
      .map((code) => `${code}: ${PROBLEMS[code][1]}.`)
      .join(' '),
    content: { 'application/problem+json': { schema: problem } },
  });
  return Object.fromEntries(statuses.map((status) => [String(status), answerOf(status)]));
}
