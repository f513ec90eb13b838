import fc from 'fast-check';
import { censusFor, EthnicityLookup, raceAt } from './ethnicity';
import { surnameTable } from '../../../test/support/synthetic-tables';
import { surnameKeys } from './names/surname-key';

const white = [9000, 500, 100, 100, 200, 100];
const api = [100, 100, 9500, 100, 100, 100];
const t2000 = surnameTable(2000, {
  QUILL: white,
  TORVA: white,
  NAME: white,
  OLD: [null, null, null, null, null, null],
});
const t2010 = surnameTable(2010, { QUILL: api, TORVAQUILL: api, NULL: api, DE: api });
const lookup = new EthnicityLookup(t2000, t2010);

describe('ethnicity by surname and year', () => {
  it('uses the 2000 census up to 2005 and the 2010 census from 2006 on', () => {
    expect([1000, 2000, 2005, 2006, 2020, 9999].map(censusFor)).toEqual([2000, 2000, 2000, 2010, 2010, 2010]);
    expect(raceAt(t2000, lookup.find('Quill', 2005)?.index ?? -1)).toBe('white');
    expect(raceAt(t2010, lookup.find('Quill', 2006)?.index ?? -1)).toBe('api');
  });

  it('never asks the other file', () => {
    expect(lookup.find('Torva', 2010)).toBeNull();
    expect(lookup.find('Torva', 2000)?.key).toBe('TORVA');
  });

  it('takes the first spelling that is in the file', () => {
    expect(lookup.find('Torva-Quill', 2010)?.key).toBe('TORVAQUILL');
    expect(lookup.find('Torva-Quill', 2000)?.key).toBe('TORVA');
    expect(lookup.find('Unheard Quill', 2010)?.key).toBe('QUILL');
    expect(lookup.find('Unheard - Quíll', 2010)?.key).toBe('QUILL');
    expect(lookup.find('Unheard - Unsung', 2010)).toBeNull();
  });

  it('knows no name that means a missing value', () => {
    expect(lookup.find('null', 2010)?.key).toBe('NULL');
    expect(lookup.find('Name', 2000)?.key).toBe('NAME');
    expect(lookup.find('De', 2010)?.key).toBe('DE');
  });

  it('answers nothing for text without a surname', () => {
    for (const text of ['', '  ', 'B.', '42', 'ALL OTHER NAMES', '__proto__'])
      expect(lookup.find(text, 2010)).toBeNull();
  });

  it('has no race where the whole row is suppressed', () => {
    expect(raceAt(t2000, lookup.find('Old', 2000)?.index ?? -1)).toBeNull();
  });

  it('finds plain words as their spellings say', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^ {0,2}[A-Za-z@[`{]{0,3} ?$/),
      fc.constantFrom(' quill', 'Quill ', 'QuIlL', 'torva quill', 'x'.repeat(40), 'de', 'null'),
    );
    fc.assert(
      fc.property(text, (surname) => {
        const first = surnameKeys(surname).find((key) => t2010.names.find(key) >= 0);
        expect(lookup.find(surname, 2010)?.key).toBe(first);
      }),
    );
  });
});
