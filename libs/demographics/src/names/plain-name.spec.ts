import { hasOneGivenName, plainName } from './donor-name';

describe('a name of plain letters', () => {
  it.each([
    ['QUILL, ORLA', 'QUILL', 'ORLA'],
    ['Quill,Orla', 'QUILL', 'ORLA'],
    ['LI, AL', 'LI', 'AL'],
    ['QUILL, ORLA R', 'QUILL', 'ORLA'],
    ['QUILL, ORLA R.', 'QUILL', 'ORLA'],
    ['QUILL, ORLA BRAM', 'QUILL', 'ORLA'],
    ['QUILL, ORLA JR.', 'QUILL', 'ORLA'],
    ['QUILL, ORLA R. AL', 'QUILL', 'ORLA'],
    ['FUND, ORLA R', 'FUND', 'ORLA'],
  ])('is parsed on the fast path: %s', (raw, surname, given) => {
    expect(plainName(raw, 'IND')).toMatchObject({ surname, given });
    expect(plainName(raw, undefined)).toMatchObject({ surname, given });
    expect(plainName(raw, 'ORG')).toBeNull();
  });

  it.each([
    'ORLA QUILL',
    'QUILL, O',
    'Q, ORLA',
    ' QUILL, ORLA',
    'ST. QUILL, ORLA',
    '1QUILL, ORLA',
    'QUILL,  ORLA',
    'QUILL, ORLA ',
    'QUILL, ORLA,',
    'QUILL, ORLA R..',
    'QUILL, ORLA 2',
    'QUILL, ORLA 22',
    'QUILL, 22',
    '22, ORLA',
    'QUILL, ORLA R S',
    'QUILL, MAJOR',
    'QUILL, Jr',
    'QUILL, trust',
    'QUILL, and',
    'REQUESTED, INFORMATION',
    'QUILL, ORLA AND',
    'Quill, Orla and',
    'FUND, ORLA BRAM',
    'fund, ORLA BRAM',
  ])('does not include %j, which needs the general rules', (raw) => expect(plainName(raw, 'IND')).toBeNull());

  it.each([
    ['QUILL, ORLA', true],
    ['quill,orla', true],
    ['LI, AL', true],
    ['QUILL, ORLA R', true],
    ['QUILL, ORLA R.', true],
    ['QUILL, ORLA BRAM', false],
    ['QUILL, ORLA R. BRAM', false],
    ['QUILL, ORLA .', false],
    ['QUILL, ORLA 2', false],
    ['ST QUILL, ORLA', false],
    ['Q, ORLA', false],
    ['QUILL, O', false],
    ['22, ORLA', false],
    ['QUILL, 22', false],
  ])('has only one given name, or not: %s', (raw, expected) => expect(hasOneGivenName(raw)).toBe(expected));
});
