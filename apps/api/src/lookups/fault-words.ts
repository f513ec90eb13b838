import { type z } from 'zod';

type RawIssue<Code extends z.core.$ZodIssueCode> = Extract<z.core.$ZodRawIssue, { code: Code }>;

/** What a value must be, as JSON calls it. */
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

/** What is counted of a value that is too long or too short. */
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

function bound(origin: string, limit: number | bigint, words: readonly [inside: string, outside: string], is = true) {
  const counted = COUNTED[origin];
  const number = Number(limit);
  if (counted === undefined) return `must be ${words[is ? 0 : 1]} ${number}`;
  return `must have ${words[is ? 0 : 1]} ${number} ${counted[number === 1 ? 0 : 1]}`;
}

/** For each way in which a value can be wrong: all of them, or this does not compile. */
const WORDS: { readonly [Code in z.core.$ZodIssueCode]: (issue: RawIssue<Code>) => string } = {
  invalid_type: ({ input, expected }) =>
    input === undefined ? 'is needed' : `must be ${KINDS[expected] ?? 'of another kind'}`,
  too_big: ({ origin, maximum, inclusive }) => bound(origin, maximum, ['at most', 'less than'], inclusive),
  too_small: ({ origin, minimum, inclusive }) => bound(origin, minimum, ['at least', 'more than'], inclusive),
  invalid_format: ({ format }) => `must be ${FORMATS[format] ?? 'written in another way'}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  invalid_value: ({ input, values }) =>
    input === undefined ? 'is needed' : `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`,
  // Not by their names, which are the caller's.
  unrecognized_keys: ({ keys }) => (keys.length === 1 ? 'has a key that is not known' : 'has keys that are not known'),
  invalid_key: () => 'has a key that is not known',
  invalid_element: () => 'has an entry that is not valid',
  invalid_union: ({ input, errors = [] }) =>
    input === undefined ? 'is needed' : eitherOf(errors.flatMap(([first]) => first?.message ?? [])),
  custom: () => 'is not valid',
};

const eitherOf = (words: readonly string[]): string => [...new Set(words)].join(', or ') || 'is not valid';

/**
 * What is wrong with a value in our words, which name what is wanted and never the value. The validator's own
 * ("Invalid input: expected string, received undefined") stay inside; what a schema says itself comes first.
 */
export function faultWords(issue: z.core.$ZodRawIssue): string {
  const words = WORDS[issue.code] as (one: z.core.$ZodRawIssue) => string; // the code picks the words of its kind
  return words(issue);
}
