import { type Release } from '@donorlens/reference-data';
import { ADDRESS_KEYS } from '../../../test/support/reference-data/known-addresses';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { parseContributionDate } from './contribution';
import { type EnrichedItem } from './enrich-contribution';
import { enrichItem } from './json-contribution';

describe('one contribution', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const of = (item: unknown, type: 'age_gender' | 'ethnicity' | 'contributions' = 'contributions', minAge?: number) =>
    enrichItem(type, item, release, minAge ?? null);
  const facts = ({ outcome, errorCode, ageYears, gender, race }: EnrichedItem) => ({
    outcome,
    errorCode,
    ageYears,
    gender,
    race,
  });
  const ageOf = (name: string, date: string): number => {
    const { ages } = release.demographics;
    return ages.ageAt(ages.nameIndex(name), parseContributionDate(date));
  };
  const nothing = { ageYears: null, gender: null, race: null };

  it('has age and gender by first name and date, ethnicity and shares by surname and year', () => {
    const item = of({ first_name: 'Mary', surname: 'Smith', date: '2016-03-01' });
    const table = release.demographics.surnamesOf(2016);
    const index = table.names.find('SMITH');
    expect(facts(item)).toEqual({
      outcome: 'ok',
      errorCode: null,
      ageYears: ageOf('Mary', '2016-03-01'),
      gender: 'f',
      race: 'white',
    });
    expect([...item.pctHundredths!]).toEqual([...table.pct.subarray(6 * index, 6 * index + 6)]);
  });

  it('marks the surname of a person as unlisted if it was looked up and not found', () => {
    const isUnlisted = (item: object) => of({ date: '2016-03-01', ...item }).isSurnameUnlisted;
    expect([
      isUnlisted({ surname: 'Wqzxwqzx' }),
      isUnlisted({ contributor_name: 'WQZXWQZX, MARY' }),
      isUnlisted({ surname: 'Smith' }),
      isUnlisted({ first_name: 'Mary', surname: '' }),
      isUnlisted({ first_name: 'Mary', surname: '-' }),
      isUnlisted({ contributor_name: 'WQZX LLC' }),
      isUnlisted({ surname: 'Wqzxwqzx', date: '' }),
    ]).toEqual([true, true, false, false, false, false, false]);
  });

  it('uses the census of 2000 for years up to 2005', () => {
    const item = of({ surname: 'Smith', date: '2005-12-31' });
    const table = release.demographics.surnamesOf(2005);
    const index = table.names.find('SMITH');
    expect(table.census).toBe(2000);
    expect(item.pctHundredths![0]).toBe(table.pct[6 * index]);
  });

  it('uses the parts of the filed name for blank name fields', () => {
    const filed = of({ contributor_name: 'SMITH, MARY A MRS.', date: '2016-03-01', entity_type: 'IND' });
    expect(facts(filed)).toEqual(facts(of({ first_name: 'Mary', surname: 'Smith', date: '2016-03-01' })));
    const half = of({ first_name: 'James', surname: '', contributor_name: 'SMITH, MARY', date: '2016-03-01' });
    expect(facts(half)).toMatchObject({ gender: 'm', race: 'white' });
  });

  it('has the gender of a title, the age of the name, and a surname without particles', () => {
    const date = '2016-03-01';
    const of2 = (item: object) => facts(of({ ...item, date }));
    const mary = of2({ first_name: 'Mary', surname: 'Smith' });
    const titled = { ...mary, gender: 'm' };
    expect(of2({ contributor_name: 'SMITH, MARY MR.' })).toEqual(titled);
    expect(of2({ first_name: 'Mr. Mary', surname: 'Smith' })).toEqual(titled);
    expect(of2({ first_name: 'Mary', contributor_name: 'SMITH, MARY MR.' })).toEqual(titled);
    expect(of2({ first_name: 'Mrs. Mary', contributor_name: 'SMITH, MARY MR.' })).toEqual(mary);
    expect(of2({ contributor_name: 'WQZX, WQZX MR.' })).toMatchObject({ outcome: 'not_found', gender: 'm' });
    expect(of2({ contributor_name: 'SMITH, ESTATE OF MARY MR.' })).toMatchObject(nothing);
    expect(of2({ surname: 'Van-Smith' })).toMatchObject({ race: mary.race });
    expect(facts(of({ name: 'Mr. Mary', date }, 'age_gender'))).toMatchObject(nothing);
    expect(of({ surname: 'Wqzx-Van', date }).surnameTable).toBeNull();
  });

  it('has title and kind of the filed name, and the names of their columns, as in an export of openFEC', () => {
    const date = '2016-03-01';
    const columns = { first_name: 'MARY', surname: 'SMITH', date, entity_type: 'IND' };
    const plain = facts(of(columns));
    const withName = (contributor_name: string, more = {}) => facts(of({ ...columns, contributor_name, ...more }));
    expect(plain).toMatchObject({ outcome: 'ok', gender: 'f', race: 'white' });
    expect(withName('SMITH, MARY MR.')).toEqual({ ...plain, gender: 'm' });
    expect(of({ ...columns, contributor_name: 'SMITH, MARY A. MR. JR.' })).toMatchObject({ genderSource: 'title' });
    expect(withName('SMITH, MARY MR.', { first_name: 'MRS. MARY' })).toEqual(plain);
    for (const name of [
      '',
      'SMITH, MARY',
      'SMITH, MARY DR.',
      'SMITH, JAMES',
      'GARCIA, LINDA',
      'ANONYMOUS',
      'MARY SMITH',
    ])
      expect([name, withName(name)]).toEqual([name, plain]);
    expect(withName('SMITH, MARY & JAMES MR. & MRS.')).toEqual(plain);
    expect(withName('MR. SMITH')).toEqual({ ...plain, gender: 'm' });
    for (const name of ['ESTATE OF MARY SMITH', 'SMITH, ESTATE OF MARY', 'Mary Smith LLC', 'SMITH & SONS'])
      expect([name, withName(name)]).toEqual([name, { ...plain, outcome: 'not_found', ...nothing }]);
  });

  it.each(['James R.', 'R. James', 'Dr. James', 'JAMES R JR', 'James "Mary"', 'James & Mary', 'MR. JAMES R. (JIM)'])(
    'reads %s in the column of first names as in a filed name',
    (first_name) => {
      const date = '2016-03-01';
      const filed = of({ contributor_name: `SMITH, ${first_name}`, date });
      expect(facts(of({ first_name, surname: 'Smith', date }))).toEqual(facts(filed));
      expect(filed).toMatchObject({ gender: 'm', ageYears: ageOf('James', date) });
    },
  );

  it('does not join an initial to a name: Mari A is not Maria', () => {
    const date = '2016-03-01';
    expect(release.demographics.ages.nameIndex('maria')).toBeGreaterThanOrEqual(0);
    expect(facts(of({ first_name: 'Mari A', date }))).not.toEqual(facts(of({ first_name: 'Maria', date })));
    expect(facts(of({ first_name: 'Maria A', date }))).toEqual(facts(of({ first_name: 'Maria', date })));
  });

  it('does not parse first names of other batch types', () => {
    expect(of({ first_name: 'James R.', date: '2016-03-01' }, 'age_gender').outcome).toBe('not_found');
  });

  it.each(['ORG', 'COM', 'PAC', 'PTY', 'CCM', 'org'])('has no attributes as %s', (entity_type) => {
    const item = of({ first_name: 'Mary', surname: 'Smith', date: '2016-03-01', entity_type });
    expect(facts(item)).toEqual({ outcome: 'not_found', errorCode: null, ...nothing });
  });

  it('of an organization by name has no attributes', () => {
    expect(facts(of({ contributor_name: 'SMITH FAMILY FOUNDATION INC', date: '2016-03-01' }))).toMatchObject(nothing);
  });

  it('without a date has a gender, but no age and no ethnicity', () => {
    expect(facts(of({ first_name: 'Mary', surname: 'Smith', date: '' }))).toEqual({
      outcome: 'ok',
      errorCode: null,
      ageYears: null,
      gender: 'f',
      race: null,
    });
    expect(facts(of({ first_name: 'Mary', surname: 'Smith', year: 2003 }))).toMatchObject({
      ageYears: null,
      race: 'white',
    });
  });

  it('is ok if one of the names is known, not_found if neither is', () => {
    expect(of({ first_name: 'Mary', surname: 'Wqzxv', date: '2016-03-01' }).outcome).toBe('ok');
    expect(of({ first_name: 'Wqzx', surname: 'Smith', date: '2016-03-01' }).outcome).toBe('ok');
    expect(of({ first_name: 'Wqzx', surname: 'Wqzxv', date: '2016-03-01' }).outcome).toBe('not_found');
    expect(of({ first_name: ' ', surname: '李', date: '2016-03-01' }).outcome).toBe('not_found');
    expect(of({ name: 'Wqzx', date: '2016-03-01' }, 'age_gender').outcome).toBe('not_found');
    expect(of({ surname: 'Wqzxv', year: 2016 }, 'ethnicity').outcome).toBe('not_found');
  });

  it('has county and income if the client gives the county', () => {
    const [county] = release.counties as unknown as Iterable<{ fips: string; medianHouseholdIncome: number }>;
    const item = of({ first_name: 'Mary', date: '2016-03-01', fips: county.fips });
    expect(item).toMatchObject({
      fips: county.fips,
      householdIncome: county.medianHouseholdIncome,
    });
    expect(of({ first_name: 'Mary', date: '2016-03-01', fips: '99999' })).toMatchObject({
      outcome: 'ok',
      fips: null,
      householdIncome: null,
    });
    expect(of({ first_name: 'Mary', date: '2016-03-01', fips: '9001' }).fips).toBe('09001');
    expect(of({ first_name: 'Mary', date: '2016-03-01', fips: '901' }).errorCode).toBe('bad_fips');
  });

  it('has county, income and share of its ZIP if no county is given, until it has an address', () => {
    const hartford = { fips: '09003', householdIncome: release.counties.find('09003')?.medianHouseholdIncome };
    const none = { fips: null, householdIncome: null, zipSharePct: null };
    const at = (place: object) => of({ first_name: 'Mary', surname: 'Smith', ...place });
    expect(at({ state: 'CT', zip: '06150-1234' })).toMatchObject({ ...hartford, zipSharePct: 100 });
    expect(at({ state: 'Conn.', zip: '6150' })).toMatchObject({ ...hartford, zipSharePct: 100 });
    expect(at({ zip: '03150' })).toMatchObject({ fips: '33011', zipSharePct: 62.5 }); // 37.5 in 33015
    expect(at({ zip: '06150', fips: '99999' })).toMatchObject(hartford);
    expect(at({ zip: '06150', fips: '10001' })).toMatchObject({ fips: '10001', zipSharePct: null });
    for (const place of [{ zip: '06111' }, { zip: '06150', state: 'ZZ' }, { zip: '06150', state: 'AE' }, { zip: '' }])
      expect(at(place)).toMatchObject(none);
    const street = { street: '1 Main St', city: 'Hartford', state: 'CT', zip: '06150' };
    const item = enrichItem('contributions', { first_name: 'Mary', ...street }, release, null, ADDRESS_KEYS);
    expect(item.address).not.toBeNull();
    expect(item).toMatchObject(none);
  });

  it('counts only people of the minimum age', () => {
    const young = of({ name: 'Liam', date: '2016-03-01' }, 'age_gender');
    const adult = of({ name: 'Liam', date: '2016-03-01' }, 'age_gender', 18);
    expect(adult.ageYears === null || adult.ageYears >= 18).toBe(true);
    expect(young.ageYears).not.toBe(adult.ageYears);
  });

  it.each<[string, unknown, string]>([
    ['a date that is none', { name: 'Mary', date: '2019-02-30' }, 'bad_date'],
    ['no date', { name: 'Mary' }, 'missing_date'],
    ['a blank date', { name: 'Mary', date: '' }, 'bad_date'],
    ['a date of another form', { name: 'Mary', date: '03012016' }, 'bad_date'],
    ['no name', { date: '2016-03-01' }, 'missing_name'],
    ['a name that is no text', { name: 7, date: '2016-03-01' }, 'bad_type'],
    ['a name of a million letters', { name: 'x'.repeat(1_000_000), date: '2016-03-01' }, 'too_long'],
    ['a long id', { id: 'x'.repeat(65), name: 'Mary', date: '2016-03-01' }, 'bad_id'],
    ['a list', [], 'bad_json'],
    ['nothing', null, 'bad_json'],
    ['keys of a prototype', JSON.parse('{"__proto__":{"name":"Mary","date":"2016-03-01"}}'), 'missing_name'],
  ])('of age and gender with %s is invalid', (_, item, code) => {
    expect(facts(of(item, 'age_gender'))).toEqual({ outcome: 'invalid', errorCode: code, ...nothing });
  });

  it.each<[string, unknown, string]>([
    ['a year that is none', { surname: 'Smith', year: '20x0' }, 'bad_year'],
    ['a year of five digits', { surname: 'Smith', year: 20160 }, 'bad_year'],
    ['a year that is a text', { surname: 'Smith', year: '2016' }, 'bad_year'],
    ['a broken year', { surname: 'Smith', year: 2016.5 }, 'bad_year'],
    ['no year', { surname: 'Smith' }, 'missing_year'],
    ['a year that is a list', { surname: 'Smith', year: [2016] }, 'bad_year'],
  ])('of ethnicity with %s is invalid', (_, item, code) => {
    expect(facts(of(item, 'ethnicity'))).toEqual({ outcome: 'invalid', errorCode: code, ...nothing });
  });
});
