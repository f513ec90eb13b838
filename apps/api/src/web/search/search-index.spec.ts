import fc from 'fast-check';
import { candidateWords, matching, nearest } from './search-index';

const entry = (...words: string[]) => ({ words });
const CLINTON = entry('CLINTON', 'HILLARY', 'RODHAM', 'P00003392');
const SANDERS = entry(...candidateWords('SANDERS, BERNARD / KIM, JAMES'), 'P60007168');
const CRUZ = entry(...candidateWords('CRUZ, RAFAEL EDWARD "TED"'));
const CLINE = entry('CLINE', 'ANN');
const ALL = [CLINTON, SANDERS, CRUZ, CLINE];

describe('a search', () => {
  it.each([
    ['clin', [CLINTON, CLINE]],
    ['hillary clinton', [CLINTON]],
    ['Clínton, H.', [CLINTON]],
    ['p6000', [SANDERS]],
    ['Bernie Sanders', [SANDERS]],
    ['Cruz 2016', [CRUZ]],
    ['edw cruz', [CRUZ]],
    ['2016', []],
    ['cruz 2017', []],
    ['jim', []],
    ['inton', []],
    ['clinton bernard', []],
    ['  ', []],
    ['ﬂ%', []],
  ])('finds entries in which every word of %s is the prefix of a word', (text, found) => {
    expect(matching(ALL, text, 9)).toEqual(found);
  });

  it('returns only the first entries', () => {
    expect(matching(ALL, 'clin', 1)).toEqual([CLINTON]);
  });

  it.each([
    ['Clntn', [CLINTON]],
    ['Clinten', [CLINTON, CLINE]],
    ['Hilary Clntn', [CLINTON]],
    ['Hilary', [CLINTON]],
    ['Berny Sandres 2016', [SANDERS]],
    ['Sandres', [SANDERS]],
    ['Teden', []],
    ['xxxxxxxx', []],
    ['', []],
  ])(
    'suggests the nearest entries for %s; each word may differ by a third of the letters of the shorter one',
    (text, near) => {
      expect(nearest(ALL, text, 9)).toEqual(near);
    },
  );

  it('maps nicknames to given names and back, but not for surnames', () => {
    expect(candidateWords('DOE, BILL')).toEqual(['DOE', 'BILL', 'WILLIAM']);
    expect(candidateWords('BERNARD, JO')).toEqual(['BERNARD', 'JO']);
    expect(candidateWords('BERNIE 2016')).toEqual(['BERNIE', '2016']);
  });

  it('finds every entry by prefixes of its words, and suggests it first for its words', () => {
    const word = fc.stringMatching(/^[A-Z]{3,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.nat(), (words, cut) => {
        const text = words.map((one) => one.slice(0, 1 + (cut % one.length)).toLowerCase()).join(' ');
        expect(matching([{ words }], text, 1)).toHaveLength(1);
        expect(nearest([SANDERS, { words }], words.join(' '), 1)).toEqual([{ words }]);
      }),
    );
  });
});
