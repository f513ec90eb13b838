import { civilDay } from '@donorlens/primitives';
import { Demographics } from './demographics';
import { birthTable, immortal, surnameTable } from '../../../test/support/synthetic-tables';

const row = [9000, 500, 100, 100, 200, 100];
const demographics = new Demographics({
  births: birthTable({ aila: { f: { 1990: 10 } }, orla: { f: { 1990: 10 } } }),
  life: immortal,
  steps: null,
  surnames2000: surnameTable(2000, { TORVA: row }),
  surnames2010: surnameTable(2010, { QUILL: row }),
});

describe('Demographics', () => {
  it('parses a name with the surname file of the year', () => {
    const surnameKeys = (name: string) => [2005, 2006].map((y) => demographics.parseName(name, 'IND', y).surnameKey);
    expect(surnameKeys('QUILL, ORLA')).toEqual([null, 'QUILL']);
    expect(surnameKeys('TORVA, ORLA')).toEqual(['TORVA', null]);
    expect(surnameKeys('QUILL-TORVA, ORLA')).toEqual(['TORVA', 'QUILL']);
  });

  it('takes of given names the first that the birth files know', () => {
    const keys = ['Orla Wyx', 'Wyx Orla', 'Wyx Aila', 'Wyx', ''].map((given) => demographics.givenNameKey(given));
    expect(keys).toEqual(['orla', 'orla', 'aila', null, null]);
  });

  it('answers without a step table', () => {
    const orla = demographics.ages.nameIndex('Orla');
    expect(demographics.ages.ageAt(orla, civilDay(2020, 12, 31))).toBe(30);
  });
});
