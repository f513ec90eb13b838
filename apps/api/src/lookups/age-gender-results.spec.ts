import fc from 'fast-check';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { enrichItem } from '@donorlens/enrichment';
import { ageGenderResult, ethnicityResult as ethnicityOf } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { isLongWorkWaiting } from '../http/request-scheduling';
import { ageGenderResults, detailedAgeGenderResults, scannedResults } from './age-gender-results';
import { queriesOf } from './bulk-request';
import { ethnicityResults } from './ethnicity-results';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';

describe('bulk results without JSON.stringify', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const names = ['Mary', 'JAMES', 'no such', '', 'José', 'x\u0000', '\ud800'];
  const dates = ['1879-12-31', '1950-02-28', '2000-02-29', '2016-10-01', '2143-12-31', '9999-12-31'];

  it('equal the results of a batch for the same items', async () => {
    const queries = names.flatMap((name) => dates.map((date) => ({ date, name })));
    for (const minAge of [0, 18, 100]) {
      const expected = queries.map((query) => ageGenderResult(enrichItem('age_gender', query, release, minAge)));
      expect(JSON.parse(String(await ageGenderResults(queries, release, minAge)))).toEqual({ results: expected });
    }
  });

  it('equal the results of a batch for surnames', async () => {
    const surnames = ['Garcia', 'SMITH', "O'Brien", 'no such', '', ' Lee ', 'García-López'];
    const queries = surnames.flatMap((surname) => [1000, 2005, 2006, 9999].map((year) => ({ surname, year })));
    const expected = queries.map((query) => ethnicityOf(enrichItem('ethnicity', query, release), query.surname));
    expect(JSON.parse(String(await ethnicityResults(queries, release, false)))).toEqual({ results: expected });
  });

  it('are undefined if one query is invalid', async () => {
    const good = { date: '2016-10-01', name: 'Mary' };
    for (const bad of [
      null,
      7,
      [],
      {},
      { ...good, name: 1 },
      { ...good, date: '2016-10-32' },
      { ...good, id: 'x'.repeat(65) },
    ]) {
      expect(await ageGenderResults([good, bad], release)).toBeUndefined();
      expect(await detailedAgeGenderResults([good, bad], release)).toBeUndefined();
    }
  });

  it('check the members of a body and of a query once, regardless of the number of unknown members', async () => {
    const others = ['a', 'b', 'c'];
    const withUnknown = (value: object, read: () => void): object => {
      const members = others.map((name) => [name, { enumerable: true, get: read }] as const);
      return Object.defineProperties({ ...value }, Object.fromEntries(members));
    };
    for (const check of [
      (read: () => void) => queriesOf(withUnknown({ queries: [1] }, read), z.any(), {} as FastifyRequest),
      (read: () => void) => ageGenderResults([withUnknown({ date: '2016-10-01', name: 'Mary' }, read)], release),
      (read: () => void) => ethnicityResults([withUnknown({ surname: 'Smith', year: 2016 }, read)], release, false),
    ]) {
      const read = jest.fn();
      expect(await check(read)).toBeDefined();
      expect(read).toHaveBeenCalledTimes(others.length);
    }
  });

  it('of the text equal those of JSON.parse, or are undefined', async () => {
    const date = fc.constantFrom(...dates, '2016-13-01');
    const name = fc.oneof(fc.constantFrom(...names), fc.string());
    const query = fc.record({ date, name });
    const swapped = query.map((one) => ({ name: one.name, date: one.date }));
    const other = fc.record({ date, name: fc.constant('Mary'), id: fc.string() });
    const item = fc.oneof({ weight: 8, arbitrary: query }, swapped, { weight: 1, arbitrary: other });
    const body = fc.record({ queries: fc.array(item, { maxLength: 8 }) });
    const compact = (sent: object): string => JSON.stringify(sent);
    const spaced = (sent: object): string => JSON.stringify(sent, null, 1).replaceAll('\n', ' ');
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(compact, spaced), async (sent, write) => {
        const usual = await scannedResults(write(sent), release, 10_000, 0);
        const parsed = await ageGenderResults(sent.queries, release);
        expect([undefined, parsed]).toContain(usual);
        const plain = sent.queries.every((one) => !('id' in one) && /^[^\\"\p{Cc}\p{Cs}]*$/u.test(one.name));
        if (plain && sent.queries.length > 0) expect(usual).toBe(parsed);
      }),
    );
  });

  it.each([
    '{"queries":[]}',
    '{"queries":[{"date":"2016-10-01","name":"Mary"}]',
    '{"queries":[{"date":"2016-10-01","name":"Mary"},]}',
    '{"queries":[,{"date":"2016-10-01","name":"Mary"}]}',
    '{"queries":[{"date":"2016-10-01","name":"Mary"}]}x',
    '{"queries":[{"date":"2016-10-01","name":"Mary","name":"James"}]}',
    '{"queries":[{"date":"2016-10-01","date":"2016-10-01"}]}',
    '{"queries":[{"date":"2016-10-01","name":"Ma\nry"}]}',
    '{"queries":[{"date":"2016-10-01","name":"Ma\\u0041ry"}]}',
    '{"queries":[{"date":"2016-10-01","name":"Mary"}],"queries":[]}',
    '{"queries":[{"date":"2016-10-01","name":"Mary',
    '{"queries":[{"date":"2016-10-0"1","name":"Mary"}]}',
    '{"queries":[{"date":"2016-10-01" "name":"Mary"}]}',
    '[]',
    '',
  ])('are undefined for the text %p', async (text) => {
    expect(await scannedResults(text, release, 10_000, 0)).toBeUndefined();
  });

  it.each([1_000, 2_000])('are undefined if invalid text follows %i queries', async (count) => {
    const one = '{"date":"2016-10-01","name":"Mary"}';
    const list = `{"queries":[${Array<string>(count).fill(one).join(',')}`;
    for (const end of [`],${one}]}`, `]},${one}]}`, '],]}', ']}x', ',]}', ']'])
      expect(await scannedResults(list + end, release, 10_000, 0)).toBeUndefined();
    expect(await scannedResults(`${list} ] } `, release, 10_000, 0)).toBeDefined();
  });

  it('are complete and in order if they take several iterations of the event loop', async () => {
    const queries = Array.from({ length: 3_001 }, (_, i) => ({ date: dates[i % 5], name: names[i % 4], id: `${i}` }));
    const answered = async (text: Promise<string | Buffer | undefined>): Promise<unknown[]> =>
      (JSON.parse(String(await text)) as { results: unknown[] }).results;
    const results = await answered(ageGenderResults(queries, release));
    expect(results).toEqual(
      queries.map((query) => ({ ...ageGenderResult(enrichItem('age_gender', query, release)), id: query.id })),
    );
    for (const count of [3_001, 3_000, 1_000]) {
      const plain = queries.slice(0, count).map(({ date, name }) => ({ date, name }));
      expect(await answered(scannedResults(JSON.stringify({ queries: plain }), release, 10_000, 0))).toEqual(
        await answered(ageGenderResults(plain, release)),
      );
    }
  });

  it.each([
    [1_000, false],
    [1_001, true],
  ])('of %i queries yield to the event loop: %s', async (count, doWait) => {
    const queries = Array.from({ length: count }, () => ({ date: '2016-10-01', name: 'Mary' }));
    const answer = scannedResults(JSON.stringify({ queries }), release, 10_000, 0);
    expect(isLongWorkWaiting()).toBe(doWait);
    expect(await answer).toBeDefined();
  });

  it('are undefined for more queries than the maximum', async () => {
    const text = JSON.stringify({ queries: Array.from({ length: 3 }, () => ({ date: '2016-10-01', name: 'Mary' })) });
    expect(await scannedResults(text, release, 3, 0)).toBeDefined();
    expect(await scannedResults(text, release, 2, 0)).toBeUndefined();
  });
});
