import { baseLetters } from './first-name-key';

describe('the base letters of a text', () => {
  it.each([
    ['ßẞ', 'ssSS'],
    ['øØ', 'oO'],
    ['łŁ', 'lL'],
    ['đĐ', 'dD'],
    ['æÆ', 'aeAE'],
    ['Zoë Åse Peña', 'Zoe Ase Pena'],
    ['a\u0301\u0316\u0301b', 'ab'],
    ['ﬁ', 'fi'],
    ['\u007f ~', '\u007f ~'],
    ['\u0080', '\u0080'],
    ['王', '王'],
    ['', ''],
  ])('of %j are %j', (text, letters) => expect(baseLetters(text)).toBe(letters));
});
