import { type z } from 'zod';

type RawIssue<Code extends z.core.$ZodIssueCode> = Extract<z.core.$ZodRawIssue, { code: Code }>;

/** Names of JSON types. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Units of lengths. */
const COUNTED: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a real date yyyy-mm-dd',
  datetime: 'a time as in 2020-11-03T12:00:00Z',
  uuid: 'a UUID',
  url: 'a URL',
};

function bound(
  origin: string,
  limit: number | bigint,
  labels: readonly [inclusive: string, exclusive: string],
  isInclusive = true,
) {
  const counted = COUNTED[origin];
  const number = Number(limit);
  if (counted === undefined) return `must be ${labels[isInclusive ? 0 : 1]} ${number}`;
  return `must have ${labels[isInclusive ? 0 : 1]} ${number} ${counted[number === 1 ? 0 : 1]}`;
}

/** A message for each code; the type requires all of them. */
const MESSAGES: { readonly [Code in z.core.$ZodIssueCode]: (issue: RawIssue<Code>) => string } = {
  invalid_type: ({ input, expected }) =>
    input === undefined ? 'is needed' : `must be ${KINDS[expected] ?? 'of another kind'}`,
  too_big: ({ origin, maximum, inclusive }) => bound(origin, maximum, ['at most', 'less than'], inclusive),
  too_small: ({ origin, minimum, inclusive }) => bound(origin, minimum, ['at least', 'more than'], inclusive),
  invalid_format: ({ format }) => `must be ${FORMATS[format] ?? 'written in another way'}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  invalid_value: ({ input, values }) =>
    input === undefined ? 'is needed' : `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`,
  // Without the names of the keys, which are input.
  unrecognized_keys: ({ keys }) => (keys.length === 1 ? 'has a key that is not known' : 'has keys that are not known'),
  invalid_key: () => 'has a key that is not known',
  invalid_element: () => 'has an entry that is not valid',
  invalid_union: ({ input, errors = [] }) =>
    input === undefined ? 'is needed' : eitherOf(errors.flatMap(([first]) => first?.message ?? [])),
  custom: () => 'is not valid',
};

const eitherOf = (messages: readonly string[]): string => [...new Set(messages)].join(', or ') || 'is not valid';

/**
 * The message for an invalid value: what is expected, never the value itself. Messages of a schema take precedence.
 */
export function faultMessages(issue: z.core.$ZodRawIssue): string {
  const message = MESSAGES[issue.code] as (one: z.core.$ZodRawIssue) => string; // the code selects the type of the issue
  return message(issue);
}
