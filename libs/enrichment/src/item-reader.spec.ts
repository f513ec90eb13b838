import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { StoredItemReader } from './item-reader';

const COLUMNS = ['first_name', 'surname', 'date', 'state', 'zip'];
const MAPPING = { first_name: 0, surname: 1, date: 2, state: 3, zip: 4 };

describe('a reader of stored items', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const csvReader = () =>
    new StoredItemReader({ type: 'contributions', format: 'csv', columns: COLUMNS, mapping: MAPPING }, release);

  it.each([
    ['Mary,Smith,2016-03-01,CT,06150', '06150', true, false],
    ['Mary,Smith,2016-03-01,CT,06150-1234', '06150', true, false],
    ['"Mary ""Ann""","Smith, Jr.",2016-03-01,,06150', '06150', true, false],
    ['Mary,Wqzxwqzx,2016-03-01,CT,6150', '06150', false, true],
    ['Mary,,2016-03-01,AE,09012', '', false, false],
    ['Mary,Smith,,ON,K1A 0B1', '', false, false],
    ['Mary,Smith,2016-03-01,CT', '', false, false], // cannot be read
  ])('reads %s', (record, zip, hasShares, isSurnameUnlisted) => {
    const reader = csvReader();
    const source = Buffer.from(record);
    expect(reader.readZip(source)).toBe(zip);
    const item = reader.enrich(source);
    expect(item).toMatchObject({ zip, isSurnameUnlisted, ageYears: null, nameIndex: -1 });
    expect(item.pctHundredths !== null).toBe(hasShares);
  });

  it('keeps nothing of the item before', () => {
    const reader = csvReader();
    reader.enrich(Buffer.from('Mary,Smith,2016-03-01,CT,06150'));
    expect(reader.enrich(Buffer.from('Mary'))).toMatchObject({ zip: '', race: null, pctHundredths: null });
    expect(reader.readZip(Buffer.from('Mary'))).toBe('');
  });

  it('reads items of JSON', () => {
    const reader = new StoredItemReader({ type: 'contributions', format: 'json', columns: null, mapping: {} }, release);
    expect(reader.readZip(Buffer.from('{"last_name":"Smith","state":"CT","zip":"06150"}'))).toBe('06150');
    expect(reader.readZip(Buffer.from('{"last_name":"Smith"}'))).toBe('');
    expect(reader.readZip(Buffer.from('['))).toBe('');
  });
});
