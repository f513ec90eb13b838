import { z } from 'zod';
import { faultMessages, invalidBodyProblem } from './bulk-request';
import { ageGenderQuery, bodyOf, contributionQuery, ethnicityQuery } from '../schemas/queries';

const OURS = /^(is needed|must |has |needs )/;

describe('the messages about errors in a body', () => {
  const said = (schema: z.ZodType, value: unknown): string[] =>
    (schema.safeParse(value, { error: faultMessages }).error?.issues ?? []).map(({ message }) => message);

  it.each<[string, z.ZodType, unknown]>([
    ['is needed', z.string(), undefined],
    ['is needed', z.enum(['m', 'f']), undefined],
    ['is needed', z.union([z.string(), z.int()]), undefined],
    ['must be text', z.string(), null],
    ['must be a number', z.number(), '5'],
    ['must be a whole number', z.int(), 1.5],
    ['must be true or false', z.boolean(), 'yes'],
    ['must be a list', z.array(z.string()), {}],
    ['must be an object', z.object({}), []],
    ['must be of another kind', z.bigint(), 5],
    ['must be at most 3', z.number().max(3), 4],
    ['must be less than 3', z.number().lt(3), 3],
    ['must be at least 3', z.number().min(3), 2],
    ['must be more than 3', z.number().gt(3), 3],
    ['must be a multiple of 2', z.number().multipleOf(2), 3],
    ['must have at most 1 character', z.string().max(1), 'ab'],
    ['must have at least 1 entry', z.array(z.string()).min(1), []],
    ['must have at least 2 entries', z.array(z.string()).min(2), []],
    ['must be a real date yyyy-mm-dd', z.iso.date(), '2019-02-30'],
    ['must be written in another way', z.string().regex(/^a$/), 'b'],
    ['must be one of m, f', z.enum(['m', 'f']), 'x'],
    ['must be 2', z.literal(2), 3],
    ['has a key that is not known', z.strictObject({}), { 'VERY-SECRET': 1 }],
    ['has keys that are not known', z.strictObject({}), { 'VERY-SECRET': 1, b: 2 }],
    ['has a key that is not known', z.record(z.string().max(1), z.unknown()), { long: 1 }],
    ['has an entry that is not valid', z.map(z.object({}), z.int()), new Map([[{}, 'b']])],
    ['must be text, or must be a number', z.union([z.string(), z.number()]), {}],
    ['is not valid', z.string().refine(() => false), 'a'],
    ['must be short', z.string().max(1, 'must be short'), 'ab'],
  ])('include "%s"', (words, schema, value) => {
    expect(said(schema, value)).toEqual([words]);
  });

  const odd = [undefined, null, 5, 1e30, 2016.5, '', 'x'.repeat(1000), '20x6', true, {}, [], [[]]];
  it.each<[string, z.ZodObject]>([
    ['age and gender', ageGenderQuery],
    ['ethnicity', ethnicityQuery],
    ['contributions', contributionQuery],
  ])('are never the defaults of zod for %s', (_what, query) => {
    const body = bodyOf(query);
    const bodies: unknown[] = [
      ...odd,
      ...odd.map((queries) => ({ queries })),
      ...odd.map((one) => ({ queries: [one] })),
    ];
    for (const field of Object.keys(query.shape))
      bodies.push(...odd.map((value) => ({ queries: [{ [field]: value }] })));
    const faults = bodies.flatMap((one) =>
      body.safeParse(one).success ? [] : (invalidBodyProblem(one, body).parts.faults ?? []),
    );
    expect(faults.length).toBeGreaterThan(odd.length);
    expect(faults.map(({ detail }) => detail).filter((detail) => !OURS.test(detail))).toEqual([]);
  });

  it.each([[[]], [null], ['queries']])('state that the body must be an object, not %j', (sent) => {
    const { detail, parts } = invalidBodyProblem(sent, bodyOf(ageGenderQuery));
    expect(detail).toBe('The body must be an object: {"queries":[…]}.');
    expect(parts.faults).toEqual([{ pointer: '', detail: 'must be an object: {"queries":[…]}' }]);
  });

  it('state the range of years', () => {
    const queries = [
      { surname: 'A', year: 999 },
      { surname: 'A', year: '2010' },
      { surname: 'A', year: 2010.5 },
    ];
    const { parts } = invalidBodyProblem({ queries }, bodyOf(ethnicityQuery));
    const years = 'must be a year from 1000 to 9999';
    expect(parts.faults?.map(({ detail }) => detail)).toEqual([years, 'must be a number, without quotes', years]);
  });
});
