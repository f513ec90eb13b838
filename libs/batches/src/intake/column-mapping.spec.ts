import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { isOpenFec, mapColumns, missingFields } from './column-mapping';
import { readHeader } from './header';
import { IntakeError } from './intake-error';

const OPENFEC = (
  'committee_id,contributor_name,contributor_first_name,contributor_last_name,contributor_street_1,contributor_city,' +
  'contributor_state,contributor_zip,entity_type,contribution_receipt_date,contribution_receipt_amount'
).split(',');

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (err) {
    return err instanceof IntakeError ? err.code : err;
  }
};

describe('columns', () => {
  it('of an openFEC export are recognized', () => {
    expect(mapColumns(OPENFEC, 'contributions')).toEqual({
      contributor_name: 1,
      first_name: 2,
      surname: 3,
      street: 4,
      city: 5,
      state: 6,
      zip: 7,
      entity_type: 8,
      date: 9,
    });
  });

  it('of the FEC bulk file are recognized, NAME as the full name for any batch type', () => {
    const expected = { entity_type: 6, contributor_name: 7, city: 8, state: 9, zip: 10, date: 13 };
    for (const type of ['contributions', 'age_gender', 'ethnicity'] as const)
      expect(mapColumns(ITCONT_COLUMNS, type)).toEqual(expected);
  });

  it('with usual names are recognized, in any case and with blanks', () => {
    expect(mapColumns(['ID', 'First Name', 'Last-Name', 'Date', 'FIPS'], 'contributions')).toEqual({
      id: 0,
      first_name: 1,
      surname: 2,
      date: 3,
      fips: 4,
    });
    expect(mapColumns(['name', 'date'], 'age_gender')).toEqual({ first_name: 0, date: 1 });
    expect(mapColumns(['name', 'year'], 'ethnicity')).toEqual({ contributor_name: 0, year: 1 });
  });

  it('follow the mapping of the client before detection', () => {
    const given = { date: 'When', first_name: 'who' };
    expect(mapColumns(['who', 'when', 'date'], 'age_gender', given)).toEqual({ first_name: 0, date: 1 });
  });

  it('are excluded by the mapping of the client', () => {
    expect(
      mapColumns(['first_name', 'name', 'date'], 'age_gender', { first_name: '', contributor_name: 'name' }),
    ).toEqual({
      contributor_name: 1,
      date: 2,
    });
  });

  it('may be missing in a draft, which lists missing ones', () => {
    const mapping = mapColumns(['name', 'amount'], 'contributions', {}, true);
    expect(mapping).toEqual({ contributor_name: 0 });
    expect(missingFields(mapping, 'contributions')).toEqual([['date', 'year']]);
  });

  it('of an openFEC export are distinguished from others', () => {
    expect([OPENFEC, ITCONT_COLUMNS, ['name', 'date']].map(isOpenFec)).toEqual([true, false, false]);
  });

  it('that a batch type requires are reported as missing', () => {
    for (const [columns, type] of [
      [['name'], 'age_gender'],
      [['surname', 'date'], 'age_gender'],
      [['first_name', 'year'], 'ethnicity'],
      [['date', 'city'], 'contributions'],
      [['name', 'amount'], 'contributions'],
    ] as const)
      expect(codeOf(() => mapColumns(columns, type))).toBe('unmapped_columns');
  });

  it('may be repeated, unless they are used', () => {
    expect(mapColumns(['name', 'date', 'note', 'note'], 'age_gender')).toEqual({ first_name: 0, date: 1 });
    expect(codeOf(() => mapColumns(['name', 'date', 'DATE'], 'age_gender'))).toBe('duplicate_column');
  });
});

describe('a header', () => {
  const header = (text: string | Buffer, whole = true) => readHeader(Buffer.from(text as string), whole);

  it.each([',', ';', '\t', '|'])('has the delimiter %j', (delimiter) => {
    const line = ['row', '"a, b; c|d"', 'date', 'contributor_name'].join(delimiter);
    expect(header(`${line}\n1`)).toMatchObject({
      delimiter,
      columns: ['row', 'a, b; c|d', 'date', 'contributor_name'],
    });
  });

  it('prefers known columns to the number of columns', () => {
    expect(header('name;date;note, with, many, commas\n')).toMatchObject({ delimiter: ';' });
  });

  it('of one column has no delimiter', () => {
    expect(header('surname\nx\n')).toMatchObject({ delimiter: ',', columns: ['surname'] });
  });

  it('ends at the line end, in all three forms', () => {
    expect(header('a,b\nc')).toMatchObject({ end: 4, crLines: false, nextLine: 2 });
    expect(header('a,b\r\nc')).toMatchObject({ end: 5, crLines: false });
    expect(header('a,b\rc')).toMatchObject({ end: 4, crLines: true });
    expect(header('\n\r\na,"b\nc"\nd')).toMatchObject({ end: 11, columns: ['a', 'b\nc'], nextLine: 5 });
  });

  it('is null until its line is complete', () => {
    expect(header('a,b', false)).toBeNull();
    expect(header('a,b\r', false)).toBeNull();
    expect(header('a,"b\n', false)).toBeNull();
    expect(header('a,b')).toMatchObject({ columns: ['a', 'b'], end: 3 });
  });

  it('has limits of length and columns', () => {
    expect(codeOf(() => header('x'.repeat(300_000), false))).toBe('record_too_long');
    expect(codeOf(() => header(`${'x,'.repeat(1001)}\n`))).toBe('too_many_columns');
    expect(codeOf(() => header('a,"b\nc,d\n'))).toBe('unclosed_quote');
  });
});
