import fc from 'fast-check';
import { PackedKeyIndex } from './key-index';
import { findSurnameWord } from './surname-word';

const LONGEST = 'x'.repeat(32).toUpperCase();
const names = PackedKeyIndex.build(['AZ', 'QUILL', 'TORVA', LONGEST]);

describe('a surname of one plain word', () => {
  it.each([
    ['QUILL', 1],
    ['quill', 1],
    ['  Quill ', 1],
    ['az', 0],
    ['x'.repeat(32), 3],
    [`  ${'x'.repeat(32)} `, 3],
    ['Quilla', -1],
    ['ab', -1],
  ])('is looked up without another spelling: %j', (raw, row) => {
    expect(findSurnameWord(names, raw)).toBe(row);
  });

  it.each([
    '',
    ' ',
    'a',
    ' a ',
    'x'.repeat(33),
    'qu ill',
    '@z',
    'a[',
    'a`',
    '{z',
    'quill\u0001',
    'quıll',
    '\u0151ll',
    '\tquill',
  ])('is nothing else: %j', (raw) => {
    expect(findSurnameWord(names, raw)).toBeUndefined();
  });

  it('is told from all other texts', () => {
    const text = fc.oneof(
      fc.stringMatching(/^ {0,2}[AZaz]{0,3} {0,2}$/),
      fc.stringMatching(/^ ?[@-[`-{]{1,3} ?$/),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(text, (raw) => {
        const word = /^ *([A-Za-z]{2,32}) *$/.exec(raw)?.[1];
        expect(findSurnameWord(names, raw)).toBe(word && names.find(word.toUpperCase()));
      }),
    );
  });
});
