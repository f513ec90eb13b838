import { ageGenderResult, enrichItem, ethnicityResult as ethnicityOf } from '@donorlens/enrichment';
import { type Release } from '@donorlens/reference-data';
import { ageGenderResults, detailedAgeGenderResults } from './age-gender-results';
import { ethnicityResults } from './ethnicity-results';
import { sampleTables } from '../../../../test/support/sample-tables';

describe('bulk answers written by hand', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const names = ['Mary', 'JAMES', 'no such', '', 'José', 'x\u0000', '\ud800'];
  const dates = ['1879-12-31', '1950-02-28', '2000-02-29', '2016-10-01', '2143-12-31', '9999-12-31'];

  it('are the answers that a batch gives to the same items', () => {
    const queries = names.flatMap((name) => dates.map((date) => ({ date, name })));
    for (const minAge of [0, 18, 100]) {
      const expected = queries.map((query) => ageGenderResult(enrichItem('age_gender', query, release, minAge)));
      expect(JSON.parse(ageGenderResults(queries, release, minAge) ?? '')).toEqual({ results: expected });
    }
  });

  it('are the same for surnames', () => {
    const surnames = ['Garcia', 'SMITH', "O'Brien", 'no such', '', ' Lee ', 'García-López'];
    const queries = surnames.flatMap((surname) => [1000, 2005, 2006, 9999].map((year) => ({ surname, year })));
    const expected = queries.map((query) => ethnicityOf(enrichItem('ethnicity', query, release), query.surname));
    expect(JSON.parse(ethnicityResults(queries, release, false) ?? '')).toEqual({ results: expected });
  });

  it('are none where one query is wrong, whatever its place', () => {
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
      expect(ageGenderResults([good, bad], release)).toBeUndefined();
      expect(detailedAgeGenderResults([good, bad], release)).toBeUndefined();
    }
  });
});
