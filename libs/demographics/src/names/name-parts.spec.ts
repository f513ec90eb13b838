import {
  foldName,
  isOrganization,
  isTitleOrSuffix,
  sidesOf,
  surnameAndGiven,
  trimmed,
  splitInitials,
  withoutNicknames,
} from './name-parts';

describe('a filed name', () => {
  it.each([
    ['quill', 'QUILL'],
    ['O’Quill', "O'QUILL"],
    ['‘Orla’ “Bram”', `'ORLA' "BRAM"`],
    [' QUILL', 'QUILL'],
    ['QUILL ', 'QUILL'],
    ['QUILL  ORLA', 'QUILL ORLA'],
    ['\tQUILL\u00a0\u2003ORLA\u0000', 'QUILL ORLA'],
    ['QUILL—ORLA 王', 'QUILL ORLA'],
    ['~!', '~!'],
  ])('%j is folded to %j', (raw, folded) => expect(foldName(raw)).toBe(folded));

  it.each([
    ['ORLA (BRAM LISE) R', 'ORLA   R'],
    ['ORLA (BRAM', 'ORLA (BRAM'],
    ['ORLA ((BRAM))', 'ORLA ( )'],
    ['ORLA "BRAM LISE" R', 'ORLA   R'],
    ['ORLA "BRAM', 'ORLA "BRAM'],
    ["ORLA 'BRAM LISE' R", 'ORLA  R'],
    ["'BRAM', ORLA", ' , ORLA'],
    ["ORLA 'BRAM'", 'ORLA '],
    ["O'QUILL D'ARBO", "O'QUILL D'ARBO"],
    ["ORLA 'BRAM'LISE", "ORLA 'BRAM'LISE"],
    ["ORLA 'BRAM, LISE'", "ORLA 'BRAM, LISE'"],
  ])('%j without nicknames is %j', (name, left) => expect(withoutNicknames(name)).toBe(left));
});

describe('the parts of a name', () => {
  it.each([
    ['an organization word alone', [['FUND']], true],
    ['an organization word as a surname', [['FUND'], ['ORLA']], false],
    ['an organization word before initials', [['FUND'], ['A', 'B']], true],
    ['an organization word behind another word', [['QUILL', 'FUND'], ['ORLA']], true],
    ['two organization words', [['FUND'], ['UNION']], true],
    ['a phrase', [['FRIENDS', 'OF', 'ORLA']], true],
    ['the words of a phrase glued', [['FRIENDSOF']], false],
    ['nothing', [], false],
  ])('are classified as an organization or not: %s', (_what, parts, expected) =>
    expect(isOrganization(parts, undefined)).toBe(expected),
  );

  it.each([
    ['a lone title is a given name', [['QUILL'], ['MAJOR']], ['MAJOR']],
    ['two parts with titles only have none', [['QUILL'], ['MAJOR'], ['JR']], []],
    ['two words that are titles are none', [['QUILL'], ['MR', 'JR']], []],
    ['given names continue after the next comma', [['QUILL'], ['ORLA'], ['BRAM', 'JR']], ['ORLA', 'BRAM']],
  ])('contain given names: %s', (_what, parts, given) =>
    expect(surnameAndGiven(parts)).toEqual({ surname: 'QUILL', given }),
  );

  it('have the last word as the surname if the name has no comma', () => {
    expect(surnameAndGiven([['MR.', 'ORLA', 'R', 'QUILL', 'JR.']])).toEqual({ surname: 'QUILL', given: ['ORLA', 'R'] });
    expect(surnameAndGiven([])).toEqual({ surname: '', given: [] });
  });
});

describe('titles and suffixes', () => {
  it.each(['MR', 'M.R.', '.MR', 'MR.', 'GOVERNOR', 'RET', '2ND', 'DMD', 'USA', 'LCSW', 'Ph.D.'.toUpperCase()])(
    'are recognized with and without punctuation: %s',
    (word) => expect(isTitleOrSuffix(word)).toBe(true),
  );
  it.each(['ORLA', '.', '', 'MRQ'])('do not include %j', (word) => expect(isTitleOrSuffix(word)).toBe(false));

  it.each([
    [['MR', 'MRS'], ['MRS']],
    [['MR', 'JR'], ['JR']],
    [['JR', 'SR'], ['JR']],
    [['DR.', 'REV.', 'ORLA', 'MD', 'JR.'], ['ORLA']],
    [
      ['ORLA', 'V'],
      ['ORLA', 'V'],
    ],
    [
      ['ORLA', 'V', 'JR'],
      ['ORLA', 'V'],
    ],
    [[], []],
  ])('are removed: %j becomes %j', (words, left) => expect(trimmed(words)).toEqual(left));
});

describe('given names', () => {
  it.each([
    [['ORLA', 'R'], [['ORLA', 'R']]],
    [
      ['ORLA', 'AND', 'BRAM'],
      [['ORLA'], ['BRAM']],
    ],
    [
      ['ORLA&BRAM', 'R'],
      [['ORLA'], ['BRAM', 'R']],
    ],
    [['ORLA+BRAM/LISE'], [['ORLA'], ['BRAM'], ['LISE']]],
    [['ANDREW', 'BRAND'], [['ANDREW', 'BRAND']]],
  ])('%j are split by person into %j', (given, sides) => expect(sidesOf(given)).toEqual(sides));

  it.each([
    ['J.MARCUS', ['J.', 'MARCUS']],
    ['J.M', 'J.M'],
    ['J.M.', 'J.M.'],
    ['ORLA', 'ORLA'],
  ])('%s is split into %j', (word, parts) => expect(splitInitials(word)).toEqual(parts));
});
