import fc from 'fast-check';
import { CONTRIBUTION_FIELDS, FIELD_NAMES } from '@donorlens/primitives';
import { mapColumns } from './column-mapping';
import { SAMPLE_BYTES, sampleRows } from './column-values';

const COLUMNS = ['Given name(s)', 'Family Name', 'Date of gift', 'Street (mailing)', 'Town/City', 'ST', 'ZIP5'];
const ROW = ['Mary', "O'Neil", '10/31/2016', '12 Elm St', 'St. Paul', 'mn', '55101'];
const DIALECT = { delimiter: 44, quoting: true, crLines: false };

describe('columns by header and values', () => {
  const mapped = (columns: string[], ...rows: string[][]) => mapColumns(columns, 'contributions', {}, true, rows);

  it('are detected as people write headers', () => {
    expect(mapped(COLUMNS, ROW)).toEqual({ first_name: 0, surname: 1, date: 2, street: 3, city: 4, state: 5, zip: 6 });
    expect(mapped(['Day received'], ['2016-10-31'], ['2016-11-01T00:00:00'])).toEqual({ date: 0 });
    expect(mapped(['Postal (5 digits)', 'Donor'], ['06100', 'GARCIA, MARY'])).toEqual({ zip: 0, contributor_name: 1 });
  });

  it('need header and values to agree', () => {
    expect(mapped(['ST'], ['Elm St'])).toEqual({});
    expect(mapped(['Day received'], ['Monday'])).toEqual({});
    expect(mapped(['Code', 'Deadline'], ['mn', '2016-10-31'])).toEqual({});
    expect(mapped(['Date of birth', 'Employer state'], ['1960-10-31', 'mn'])).toEqual({});
    expect(mapped(['Date of gift'], [''])).toEqual({});
  });

  it('may have some other values, as typing errors', () => {
    const dates = (good: number) => Array.from({ length: 10 }, (_, at) => [at < good ? '2016-10-31' : 'unknown']);
    expect(mapped(['Date of gift'], ...dates(8), [' '])).toEqual({ date: 0 });
    expect(mapped(['Date of gift'], ...dates(7))).toEqual({});
  });

  it('are left to the client if two are possible', () => {
    expect(mapped(['Date of gift', 'Day received'], ['2016-10-31', '2016-11-02'])).toEqual({});
  });

  it('give way to known headers and to the client', () => {
    expect(mapped(['Date of gift', 'date'], ['2016-10-31', '2016-11-02'])).toEqual({ date: 1 });
    const given = { state: '', street: 'ST' };
    expect(mapColumns(['ST', 'Date of gift'], 'contributions', given, true, [['mn', '2016-10-31']])).toEqual({
      street: 0,
      date: 1,
    });
  });

  it('never change recognized headers, and never map a column twice', () => {
    const header = fc.constantFrom(...COLUMNS, ...Object.values(FIELD_NAMES).map(([name]) => name), 'note');
    const columns = fc.uniqueArray(header, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(columns, fc.infiniteStream(fc.constantFrom(...ROW)), (names, cells) => {
        const known = mapColumns(names, 'contributions', {}, true);
        const all = mapColumns(names, 'contributions', {}, true, [names.map(() => cells.next().value as string)]);
        expect(all).toMatchObject(known);
        const used = CONTRIBUTION_FIELDS.flatMap((field) => all[field] ?? []);
        expect(new Set(used).size).toBe(used.length);
      }),
    );
  });
});

describe('the sample of rows', () => {
  const sample = (text: string, delimiter = ',') =>
    sampleRows(Buffer.from(text), { ...DIALECT, delimiter: delimiter.charCodeAt(0) });

  it('has the cells of complete records, also of the last one without a line end', () => {
    expect(sample('a,"b, c\nd"\n\ne')).toEqual([['a', 'b, c\nd'], ['e']]);
    expect(sample('a;"b;c"', ';')).toEqual([['a', 'b;c']]);
    expect(sample('a,"b')).toEqual([]);
  });

  it('ends at the end of its bytes', () => {
    const rows = sample('abcdefg\n'.repeat(SAMPLE_BYTES));
    expect(rows).toHaveLength(SAMPLE_BYTES / 8);
  });
});
