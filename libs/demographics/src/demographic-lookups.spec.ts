import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { birthTable, immortal, mortal, surnameTable } from '../../../test/support/synthetic-tables';
import {
  type AgeOptions,
  ageAndGender,
  emptyAgeAndGender,
  emptyEthnicity,
  surnameEthnicity,
} from './demographic-lookups';
import { Demographics } from './demographics';

const white = [9000, 500, 100, 100, 200, 100];
const api = [100, 100, 9500, 100, 100, 100];
const tables = {
  births: birthTable({
    jeana: { f: { 1950: 10 } },
    orla: { f: { 1990: 10, 2010: 30 } },
    zed: { m: { 1990: 10 }, f: { 1930: 10 } },
  }),
  life: immortal,
  steps: null,
  surnames2000: surnameTable(2000, { QUILL: white, OLD: [null, null, null, null, null, null] }),
  surnames2010: surnameTable(2010, { QUILL: api }),
};
const demographics = new Demographics(tables);
const on = civilDay(2020, 12, 31);
const NAME: AgeOptions = { minAge: null, hasGivenNames: false };
const GIVEN: AgeOptions = { minAge: null, hasGivenNames: true };
const ask = (name: string, day = on, options = NAME) =>
  ageAndGender(name, day, options, demographics, emptyAgeAndGender());
const ethnicity = (surname: string, year: number) => surnameEthnicity(surname, year, demographics, emptyEthnicity());

describe('age and gender of a name', () => {
  it('are the median age of the living and the sex with more births', () => {
    expect(ask('Orla')).toMatchObject({ ageYears: 10, gender: 'f' });
    expect(ask('Orla', on, { ...NAME, minAge: 18 })).toMatchObject({ ageYears: 30, gender: 'f' });
  });

  it('are null where the name is unknown, and of the former result nothing is left', () => {
    const result = ask('Orla');
    expect(ageAndGender('Wyx', on, NAME, demographics, result)).toBe(result);
    expect(result).toEqual({ nameIndex: -1, ageYears: null, gender: null });
  });

  it('has no age without a date, and a gender only where the births decide it', () => {
    expect(ask('Orla', NaN)).toMatchObject({ ageYears: null, gender: 'f' });
    expect(ask('Zed', NaN)).toMatchObject({ ageYears: null, gender: null });
  });

  it('decides equal births by the people alive at the date', () => {
    const alive = new Demographics({ ...tables, life: mortal });
    expect(ageAndGender('Zed', on, NAME, alive, emptyAgeAndGender()).gender).toBe('m');
  });

  it('reads given names with titles, initials and further names only where it is told to', () => {
    expect(ask('Dr. Orla T.', on, GIVEN)).toMatchObject({ gender: 'f', ageYears: 10 });
    expect(ask('Dr. Orla T.')).toMatchObject({ nameIndex: -1 });
    expect(ask('Jean A')).toMatchObject({ ageYears: 70 });
    expect(ask('Jean A', on, GIVEN)).toMatchObject({ nameIndex: -1 });
    expect(ask('', on, GIVEN)).toMatchObject({ nameIndex: -1 });
  });

  it('are those of the estimator for any text', () => {
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
          });
        },
      ),
    );
  });
});

describe('ethnicity of a surname', () => {
  it('comes from the 2000 Census up to 2005 and from the 2010 Census from 2006 on', () => {
    expect(ethnicity('Quill', 2005)).toEqual({ surnameTable: tables.surnames2000, surnameRow: 0, race: 'white' });
    expect(ethnicity('Quill', 2006)).toEqual({ surnameTable: tables.surnames2010, surnameRow: 0, race: 'api' });
  });

  it('is null where the census of the year has no such surname, and of the former result nothing is left', () => {
    const result = ethnicity('Quill', 2010);
    expect(surnameEthnicity('Old', 2010, demographics, result)).toEqual({
      surnameTable: null,
      surnameRow: -1,
      race: null,
    });
  });

  it('has shares but no group where every cell is suppressed', () => {
    expect(ethnicity('Old', 2000)).toMatchObject({ surnameTable: tables.surnames2000, race: null });
  });
});
