import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { birthTable, immortal, mortal, surnameTable } from '../../../test/support/reference-data/synthetic-tables';
import {
  type AgeOptions,
  Demographics,
  ageAndGender,
  emptyAgeAndGender,
  emptyEthnicity,
  surnameEthnicity,
} from './demographic-lookups';
import { surnameKeys } from './names/surname-key';
import { censusFor } from './surname-table';

const white = [9000, 500, 100, 100, 200, 100];
const api = [100, 100, 9500, 100, 100, 100];
const tables = {
  births: birthTable({
    aila: { f: { 1990: 10 } },
    jeana: { f: { 1950: 10 } },
    orla: { f: { 1990: 10, 2010: 30 } },
    zed: { m: { 1990: 10 }, f: { 1930: 10 } },
  }),
  life: immortal,
  steps: null,
  surnames2000: surnameTable(2000, {
    QUILL: white,
    TORVA: white,
    NAME: white,
    OLD: [null, null, null, null, null, null],
  }),
  surnames2010: surnameTable(2010, { QUILL: api, TORVAQUILL: api, ABBOT: api, NULL: api, DE: api }),
};
const demographics = new Demographics(tables);
const on = civilDay(2020, 12, 31);
const NAME: AgeOptions = { minAge: null, hasGivenNames: false };
const GIVEN: AgeOptions = { minAge: null, hasGivenNames: true };
const ask = (name: string, day = on, options = NAME) =>
  ageAndGender(name, day, options, demographics, emptyAgeAndGender());
const ethnicity = (surname: string, year: number) => surnameEthnicity(surname, year, demographics, emptyEthnicity());
/** Returns the spelling in the file; undefined if the surname is unknown. */
const spelling = (surname: string, year: number) => {
  const { surnameTable: table, surnameRow } = ethnicity(surname, year);
  return table?.names.keyAt(surnameRow);
};

describe('age and gender of a name', () => {
  it('are the median age of living people and the sex with more births', () => {
    expect(ask('Orla')).toMatchObject({ ageYears: 10, gender: 'f' });
    expect(ask('Orla', on, { ...NAME, minAge: 18 })).toMatchObject({ ageYears: 30, gender: 'f' });
  });

  it('are null for an unknown name, and every field of the reused result is overwritten', () => {
    const result = ask('Orla');
    expect(ageAndGender('Wyx', on, NAME, demographics, result)).toBe(result);
    expect(result).toEqual({ nameIndex: -1, ageYears: null, gender: null, genderSource: null });
  });

  it('have no age without a date, and a gender only if the births decide it', () => {
    expect(ask('Orla', NaN)).toMatchObject({ ageYears: null, gender: 'f' });
    expect(ask('Zed', NaN)).toMatchObject({ ageYears: null, gender: null });
  });

  it('break a tie of births by the people alive on the date', () => {
    const alive = new Demographics({ ...tables, life: mortal });
    expect(ageAndGender('Zed', on, NAME, alive, emptyAgeAndGender()).gender).toBe('m');
  });

  it('use titles, initials and further given names only with the option `hasGivenNames`', () => {
    expect(ask('Dr. Orla T.', on, GIVEN)).toMatchObject({ gender: 'f', ageYears: 10 });
    expect(ask('Dr. Orla T.')).toMatchObject({ nameIndex: -1 });
    expect(ask('Jean A')).toMatchObject({ ageYears: 70 });
    expect(ask('Jean A', on, GIVEN)).toMatchObject({ nameIndex: -1 });
    expect(ask('', on, GIVEN)).toMatchObject({ nameIndex: -1 });
  });

  it('equal the values of AgeEstimator for any text', () => {
    const { ages } = demographics;
    const name = fc.oneof(fc.constantFrom('Orla', 'ZED', 'jeana', 'Jean-A'), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(
        name,
        fc.integer({ min: civilDay(1950, 1, 1), max: on }),
        fc.constantFrom(0, 18, 40),
        (text, day, minAge) => {
          const index = ages.nameIndex(text);
          const age = ages.ageDirect(index, day, minAge);
          expect(ask(text, day, { minAge, hasGivenNames: false })).toEqual({
            nameIndex: index,
            ageYears: age < 0 ? null : age,
            gender: ages.genderOf(index, day),
            genderSource: ages.genderOf(index, day) === null ? null : 'name',
          });
        },
      ),
    );
  });
});

describe('ethnicity of a surname', () => {
  it('uses the 2000 Census up to 2005 and the 2010 Census from 2006 on', () => {
    expect([1000, 2000, 2005, 2006, 2020, 9999].map((year) => censusFor(year))).toEqual([
      2000, 2000, 2000, 2010, 2010, 2010,
    ]);
    expect(ethnicity('Quill', 2005)).toEqual({ surnameTable: tables.surnames2000, surnameRow: 0, race: 'white' });
    expect(ethnicity('Quill', 2006)).toEqual({ surnameTable: tables.surnames2010, surnameRow: 0, race: 'api' });
  });

  it('uses the 2020 Census from 2016 on, if the data release has its surnames', () => {
    const surnames2020 = surnameTable(2020, { QUILL: [100, 9000, 500, 100, 200, 100] });
    const with2020 = new Demographics({ ...tables, surnames2020 });
    const at = (year: number) => surnameEthnicity('Quill', year, with2020, emptyEthnicity());
    expect([2005, 2006, 2015, 2016, 9999].map((year) => with2020.censusOf(year))).toEqual([
      2000, 2010, 2010, 2020, 2020,
    ]);
    expect(at(2016)).toEqual({ surnameTable: surnames2020, surnameRow: 0, race: 'black' });
    expect([at(2015), at(2005)]).toEqual([ethnicity('Quill', 2015), ethnicity('Quill', 2005)]);
  });

  it('is null if the Census of the year lacks the surname, and every field of the reused result is overwritten', () => {
    const result = ethnicity('Quill', 2010);
    expect(surnameEthnicity('Torva', 2010, demographics, result)).toBe(result);
    expect(result).toEqual({ surnameTable: null, surnameRow: -1, race: null });
    expect(spelling('Torva', 2000)).toBe('TORVA');
  });

  it('has shares but no group if every cell is suppressed', () => {
    expect(ethnicity('Old', 2000)).toMatchObject({ surnameTable: tables.surnames2000, race: null });
  });

  it('uses the first spelling in the file', () => {
    expect(spelling('Torva-Quill', 2010)).toBe('TORVAQUILL');
    expect(spelling('Torva-Quill', 2000)).toBe('TORVA');
    expect(spelling('Unheard Quill', 2010)).toBe('QUILL');
    expect(spelling('Unheard - Quíll', 2010)).toBe('QUILL');
    expect(spelling('Unheard - Unsung', 2010)).toBeUndefined();
  });

  it('does not treat surnames like NULL, NAME and DE as missing values', () => {
    expect([spelling('null', 2010), spelling('Name', 2000), spelling('De', 2010)]).toEqual(['NULL', 'NAME', 'DE']);
  });

  it('is null for text without a surname', () => {
    for (const text of ['', '  ', 'B.', '42', 'ALL OTHER NAMES', '__proto__'])
      expect(ethnicity(text, 2010).surnameTable).toBeNull();
  });

  it('uses the first known spelling of `surnameKeys` for any text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^ {0,2}[A-Za-z@[`{]{0,3} ?$/),
      fc.constantFrom(' quill', 'Quill ', 'QuIlL', 'torva quill', 'x'.repeat(40), 'de', 'null'),
    );
    fc.assert(
      fc.property(text, (surname) => {
        const first = surnameKeys(surname).find((key) => tables.surnames2010.names.find(key) >= 0);
        expect(spelling(surname, 2010)).toBe(first);
      }),
    );
  });
});

describe('Demographics of a data release', () => {
  it('parses names with the surname file of the year', () => {
    const keys = (name: string) => [2005, 2006].map((year) => demographics.parseName(name, 'IND', year).surnameKey);
    expect(keys('ABBOT, ORLA')).toEqual([null, 'ABBOT']);
    expect(keys('TORVA, ORLA')).toEqual(['TORVA', null]);
    expect(keys('ABBOT-TORVA, ORLA')).toEqual(['TORVA', 'ABBOT']);
  });

  it('uses the first given name that the birth files contain', () => {
    const keys = ['Orla Wyx', 'Wyx Orla', 'Wyx Aila', 'Wyx', ''].map((given) => demographics.givenNames(given).key);
    expect(keys).toEqual(['orla', 'orla', 'aila', null, null]);
  });

  it('works without a step table', () => {
    expect(demographics.ages.ageAt(demographics.ages.nameIndex('Aila'), on)).toBe(30);
  });
});
