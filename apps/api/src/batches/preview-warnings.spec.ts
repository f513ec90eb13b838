import { type PreviewFacts, previewWarnings } from './preview-warnings';

const WELL: PreviewFacts = {
  type: 'contributions',
  format: 'csv',
  columns: ['name', 'date', 'street', 'zip'],
  mapping: { contributor_name: 0, date: 1, street: 2, zip: 3 },
  encoding: 'utf-8',
  missing: [],
  oddQuotes: 0,
  dayFirstDate: null,
  rows: [{ outcome: 'ok', errorCode: null, isUnsendable: false }],
};
const [ROW] = WELL.rows;
const codes = (facts: Partial<PreviewFacts>): string[] =>
  previewWarnings({ ...WELL, ...facts }).map(({ code }) => code);

describe('warnings about a file', () => {
  it('are empty if all columns are known and all rows are valid', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ type: 'age_gender', mapping: { first_name: 0, date: 1 } })).toEqual([]);
  });

  it('name the results that will be missing because of a missing column', () => {
    const of = (mapping: PreviewFacts['mapping']): string[] => codes({ mapping });
    expect(of({ surname: 0, date: 1, fips: 2 })).toEqual(['no_first_name', 'no_street']);
    expect(of({ first_name: 0, year: 1, street: 2, city: 3 })).toEqual(['no_surname', 'no_date', 'no_place']);
    expect(of({ first_name: 0, surname: 1, date: 1, street: 2, city: 3, state: 0 })).toEqual([]);
  });

  it('state where county and income come from if there is no street', () => {
    const messageFor = (place: PreviewFacts['mapping']): string =>
      previewWarnings({ ...WELL, mapping: { contributor_name: 0, date: 1, ...place } })[0].message;
    expect(messageFor({ fips: 2, zip: 3 })).toContain('county and income come from the county code;');
    expect(messageFor({ zip: 3 })).toContain('county and income come from the ZIP code if the data release has');
    expect(messageFor({})).toContain('there will be no county, tract, block or income');
  });

  it('name what may have been read incorrectly', () => {
    expect(codes({ encoding: 'windows-1252', oddQuotes: 3, columns: ['a', 'b', 'a'] })).toEqual([
      'windows_1252',
      'repeated_columns',
      'odd_quotes',
    ]);
    expect(previewWarnings({ ...WELL, dayFirstDate: '25/12/2016' })).toEqual([
      {
        code: 'day_first_dates',
        message:
          'Dates with slashes are read month first: 25/12/2016 is invalid, and 3/12/2016 is read as March 12. Write dates as 2016-12-03.',
      },
    ]);
    expect(codes({ columns: ['name'] })).toEqual(['one_column']);
  });

  it('count the rows without a result by reason', () => {
    const bad = { ...ROW, outcome: 'invalid', errorCode: 'bad_date' } as const;
    const ragged = { ...ROW, outcome: 'invalid', errorCode: 'ragged_row' } as const;
    const boxed = { ...ROW, isUnsendable: true };
    const warnings = previewWarnings({ ...WELL, rows: [bad, ROW, bad, ragged, boxed] });
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^In 2 of the first 5 rows: invalid date/),
      expect.stringMatching(/^In 1 of the first 5 rows: the number of fields differs/),
      expect.stringMatching(/^In 1 of the first 5 rows: the address is a post office box/),
    ]);
    expect(codes({ type: 'age_gender', rows: [boxed] })).toEqual([]); // it has no addresses
  });

  it('question the columns if no name is known', () => {
    const unknown = { ...ROW, outcome: 'not_found' };
    expect(codes({ rows: [unknown, unknown] })).toEqual(['unknown_names']);
    expect(codes({ rows: [unknown, ROW] })).toEqual([]);
  });

  it('count no rows while a required column is missing', () => {
    const rows = [{ ...ROW, outcome: 'invalid', errorCode: 'missing_name' }] as const;
    expect(codes({ missing: [['first_name']], rows })).toEqual(['missing_column']);
  });
});
