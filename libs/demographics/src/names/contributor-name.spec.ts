import fc from 'fast-check';
import { givenNames, type KnownNames, parseContributorName } from './contributor-name';
import { donorName } from './donor-name';

const FIRST = 'orla tamsin tamsinjoy bram annelise anne lise marybeth quin major vi jose zoe judge mr'.split(' ');
const SURNAMES = 'QUILL TORVA OQUILL DELATORVA STCLOVE MCTARN FUND GENERAL DO MUNTZ'.split(' ');
const known: KnownNames = {
  firstName: (key) => FIRST.includes(key),
  surname: (key) => SURNAMES.includes(key),
  clearSex: () => null,
};
const parse = (name: string, entityType: string | undefined = 'IND') => parseContributorName(name, entityType, known);
const keys = (name: string) => [parse(name).firstKey, parse(name).surnameKey];

describe('a person', () => {
  it.each([
    'QUILL, ORLA',
    'Quill, Orla R',
    'QUILL,ORLA',
    ' QUILL , ORLA ',
    'QUILL, ORLA MS.',
    'QUILL, MS. ORLA',
    'QUILL, REV. DR. ORLA',
    'QUILL, ORLA R. M.D.',
    'QUILL, COL. ORLA (RET.)',
    'QUILL JR., ORLA',
    'QUILL, JR., ORLA',
    'QUILL, ORLA, III',
    'DR. QUILL III, ORLA MS. ESQ.',
    'QUILL, R. ORLA',
    'QUILL, R.ORLA',
    'QUILL, R. S. ORLA',
    'QUILL, ORLA R.S.',
    'QUILL, ORLA "BRAM" R',
    "QUILL, ORLA 'BRAM' R",
    'QUILL, ORLA (BRAM)',
    'QUILL, ORLA “BRAM”',
    'ORLA QUILL',
    'ORLA R. QUILL JR.',
    "O'QUILL, ORLA",
    'O QUILL, ORLA',
  ])('has a first name and a surname: %s', (name) => {
    expect(parse(name)).toMatchObject({ kind: 'person', firstKey: 'orla' });
    expect(parse(name).surnameKey).toBe(/O.?QUILL,/.test(name) ? 'OQUILL' : 'QUILL');
  });

  it('has no first name if the given names are only initials', () => {
    for (const name of ['QUILL, T', 'QUILL, T J', 'QUILL, T.J.', 'QUILL, T. J', 'QUILL, V'])
      expect(parse(name)).toMatchObject({ kind: 'person', firstKey: null, surnameKey: 'QUILL' });
  });

  it('can have a surname of several words, with accents, or outside the file', () => {
    expect(keys('DE LA TORVA, ORLA')).toEqual(['orla', 'DELATORVA']);
    expect(keys('ST. CLOVE, ORLA')).toEqual(['orla', 'STCLOVE']);
    expect(keys('MC TARN, ORLA')).toEqual(['orla', 'MCTARN']);
    expect(keys('TORVA-UNHEARD, ORLA')).toEqual(['orla', 'TORVA']);
    expect(keys('MÜNTZ, ZOË')).toEqual(['zoe', 'MUNTZ']);
    expect(keys('UNHEARD, ORLA')).toEqual(['orla', null]);
  });

  it('has the key of the first known given name', () => {
    expect(keys('QUILL, ANNE-LISE')[0]).toBe('annelise'); // joined
    expect(keys('QUILL, BRAM-TUESDAY')[0]).toBe('bram'); // first part
    expect(keys('QUILL, TUESDAY-BRAM')[0]).toBe('bram'); // second part
    expect(keys('QUILL, TAMSIN JOY')[0]).toBe('tamsin'); // first name alone
    expect(keys('QUILL, MARY BETH')[0]).toBe('marybeth'); // joined with the second name
    expect(keys('QUILL, WQZX ORLA')[0]).toBe('orla'); // second name
    expect(keys('QUILL, WQZX WQZX')[0]).toBeNull();
  });

  it('has a single word after the comma as the given name, even if it is a title', () => {
    expect(keys('QUILL, MAJOR')[0]).toBe('major');
    expect(keys('QUILL, VI')[0]).toBe('vi');
    expect(keys('QUILL, MAJOR R.')[0]).toBeNull(); // a title before an initial
  });

  it('can have a surname that is also a title, a suffix or an organization word', () => {
    expect(keys('GENERAL, ORLA')).toEqual(['orla', 'GENERAL']);
    expect(keys('DO, ORLA')).toEqual(['orla', 'DO']);
    expect(parse('FUND, ORLA K')).toMatchObject({ kind: 'person', firstKey: 'orla', surnameKey: 'FUND' });
  });

  it('keeps a final V, which can be an initial or a suffix', () => {
    expect(keys('QUILL, ORLA V')).toEqual(['orla', 'QUILL']);
    expect(keys('QUILL V, ORLA')).toEqual(['orla', 'QUILL']);
  });
});

describe('a couple', () => {
  it.each([
    'QUILL, ORLA & BRAM',
    'QUILL, ORLA AND BRAM',
    'QUILL, ORLA/BRAM',
    'QUILL, ORLA + BRAM',
    'QUILL, MR. AND MRS. ORLA',
    'QUILL, DR. & MRS. ORLA',
    'QUILL, MR. ORLA R. & MRS. BRAM',
    'QUILL, R. & ORLA',
    'QUILL, R. & MR. & ORLA',
  ])('has the keys of its first given name: %s', (name) =>
    expect(parse(name)).toMatchObject({ kind: 'couple', firstKey: 'orla', surnameKey: 'QUILL' }),
  );
});

describe('the spellings of a first name', () => {
  const tried = (name: string): string[] => {
    const keys: string[] = [];
    const none: KnownNames = { firstName: (key) => keys.push(key) === 0, surname: () => true, clearSex: () => null };
    expect(parseContributorName(name, 'IND', none).firstKey).toBeNull();
    return keys;
  };
  it.each([
    ['QUILL, ORLA BRAM LISE', ['orla', 'orlabram', 'bram', 'lise']],
    ['QUILL, ORLA-BRAM LISE', ['orlabram', 'orla', 'bram', 'orlabramlise', 'lise']],
    ['QUILL, ORLA-B-VI', ['orlabvi', 'orla', 'vi']],
    ['QUILL, ORLA', ['orla']],
  ])('of %s are tried in this order: %j', (name, spellings) =>
    expect(tried(`${name} R.`).filter((key, at, all) => key !== all[at - 1])).toEqual(spellings),
  );

  const all: KnownNames = { firstName: () => true, surname: () => true, clearSex: () => null };
  it.each(['T', 'T.', '.T', '-T', 'T-', 'R.S.', 'R.S', 'R.S.T.'])('skip an initial: %s', (initial) =>
    expect(parseContributorName(`QUILL, ${initial} ORLA`, 'IND', all).firstKey).toBe('orla'),
  );
  it.each([
    ['AB', 'ab'],
    ['AB.C.', 'abc'],
    ['A.-BC', 'abc'],
    ['A1.B.', 'ab'],
    ['A-B', 'ab'],
  ])('include a word that is not an initial: %s', (word, key) =>
    expect(parseContributorName(`QUILL, ${word} ORLA`, 'IND', all).firstKey).toBe(key),
  );
});

describe('given names without a surname', () => {
  it.each([
    ['Orla', 'orla'],
    ['Dr. Orla R. Jr.', 'orla'],
    ['Mary Beth "Betty"', 'marybeth'],
    ['R., Orla', 'orla'],
    ['Bram & Orla', 'bram'],
    ['None', null],
    ['Wqzx', null],
    ['', null],
  ])('%j have the key %j', (given, key) => expect(givenNames(given, known).key).toBe(key));

  it('have no key if they are a placeholder, even if the birth files contain it', () =>
    expect(givenNames('Unknown', { ...known, firstName: () => true }).key).toBeNull());
});

describe('an organization', () => {
  const organization = { kind: 'organization', firstKey: null, surnameKey: null };

  it.each(['ORG', 'COM', 'PAC', 'PTY', 'CCM'])('is any name with the entity type %s', (type) =>
    expect(parse('QUILL, ORLA', type)).toMatchObject(organization),
  );

  it.each([
    'QUILL FAMILY TRUST',
    'QUILL & TORVA L.L.C.',
    'QUILL CO.',
    'FRIENDS OF ORLA QUILL',
    'ORLA FOR CONGRESS',
    'QUILL HOLDINGS, INC.',
    'FUND, T',
    'FUND, PARTNERS',
    'winred',
  ])('is recognized by a word or phrase: %s', (name) => expect(parse(name)).toMatchObject(organization));

  it.each(['QUILL, CAMPAIGN', 'TRUSTY, ORLA', 'COHEN, ORLA', 'QUILL, ORLA INC'])('does not include %s', (name) =>
    expect(parse(name, undefined).kind).toBe('person'),
  );
});

describe('text that is not a name', () => {
  it.each([
    '',
    '  ',
    ',',
    ', ,',
    'N/A',
    'NA',
    'None',
    'Unknown',
    'REFUSED',
    'NOT AVAILABLE',
    'Not Provided',
    'INFORMATION REQUESTED',
    'Information requested per best efforts',
    'REQUESTED, INFORMATION',
    'Requested,  information',
    'ANONYMOUS',
    '"X"',
  ])('%j has no keys', (name) =>
    expect(parse(name)).toMatchObject({ kind: 'unparsed', firstKey: null, surnameKey: null }),
  );

  it('has the surname key if it is only a surname', () => {
    for (const name of ['QUILL', 'MS. QUILL', 'QUILL JR', ', QUILL', 'QUILL, MR. JR.'])
      expect(parse(name)).toMatchObject({ kind: 'unparsed', firstKey: null, surnameKey: 'QUILL' });
  });
});

describe('any text', () => {
  const word = fc.oneof(
    fc.constantFrom(
      ...FIRST,
      ...SURNAMES,
      'AND',
      'ESTATE',
      'OF',
      'DAME',
      'SR',
      'MS.',
      'MR',
      'JR.',
      'V',
      'T',
      'T.',
      'Inc',
      'Fund',
      'INFORMATION',
      'Requested',
    ),
    fc.stringMatching(/^[A-Za-z]{1,4}$/),
  );

  it('is parsed without an error, and the keys are known keys', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...`AVé, .&/-'"()\ud800`) }),
      fc.array(word).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, fc.option(fc.constantFrom('IND', 'ORG'), { nil: undefined }), (name, type) => {
        const { firstKey, surnameKey, donor } = parseContributorName(name, type, known);
        expect(donor).toEqual(donorName(name, type));
        expect(firstKey === null || known.firstName(firstKey)).toBe(true);
        expect(surnameKey === null || known.surname(surnameKey)).toBe(true);
      }),
    );
  });

  it('of a plain shape gives the same result with blanks around it, which disable the fast path', () => {
    const name = fc.tuple(word, fc.constantFrom(',', ', '), word, fc.constantFrom('', ' R', ' R.', ' V', ' mr'));
    const more = fc.oneof(
      fc.constant(''),
      fc.tuple(word, fc.constantFrom('', '.')).map((parts) => ` ${parts.join('')}`),
    );
    fc.assert(
      fc.property(name, more, (parts, behind) => {
        const filed = parts.join('') + behind;
        expect(parse(filed)).toEqual(parse(` ${filed} `));
      }),
      { numRuns: 2000 },
    );
  });
});
