import fc from 'fast-check';
import { surnameKeys } from './surname-key';

describe('the keys of a surname, in lookup order', () => {
  it.each([
    ['Abbot', ['ABBOT', 'ABBOT']],
    ['ABBOT', ['ABBOT']],
    [' O’Quill ', ['OQUILL', 'OQUILL']],
    ["D'Arbo", ['DARBO', 'DARBO']],
    ['St. Clove', ['STCLOVE', 'CLOVE']],
    ['Mc Tarn', ['MCTARN', 'TARN']],
    ['Weiß', ['WEISS', 'WEISS']],
    ['Sørby', ['SORBY', 'SORBY']],
    ['Peñalta', ['PENALTA', 'PENALTA']],
    ['de la Torva', ['DELATORVA', 'LATORVA', 'DELA', 'TORVA']],
    ['Torva Abbot Quill', ['TORVAABBOTQUILL', 'ABBOTQUILL', 'TORVAABBOT', 'TORVA', 'ABBOT', 'QUILL']],
    ['Torva-Quill', ['TORVAQUILL', 'TORVA', 'QUILL', 'TORVA', 'QUILL']],
    ['de Torva-Quill', ['DETORVAQUILL', 'DETORVA', 'QUILL', 'TORVA', 'QUILL']],
    ['Quill Jr.', ['QUILL', 'QUILL']],
    ['Quill, M.D.', ['QUILL', 'QUILL']],
    ['Quill Jr III', ['QUILL', 'QUILL']],
    ['Torva IV', ['TORVA', 'TORVA']],
    ['Torva Sr II', ['TORVA', 'TORVA']],
    ['Torva V', ['TORVA', 'TORVA']],
    ['Torva Esq.', ['TORVA', 'TORVA']],
    ['Torva Ph.D.', ['TORVA', 'TORVA']],
    ['Torva Junior', ['TORVA', 'TORVA']],
    ['Torva Senior', ['TORVA', 'TORVA']],
    ['Di Torva', ['DITORVA', 'TORVA']],
    ['Torva y Quill', ['TORVAYQUILL', 'YQUILL', 'TORVAY', 'TORVA', 'QUILL']],
    ['Torva & - Quill', ['TORVAQUILL', 'TORVA', 'QUILL', 'TORVA', 'QUILL']],
    ['Jr', ['JR', 'JR']],
    ['Van', ['VAN']],
    ['X', []],
    ['X Y', ['XY']],
    ['王', []],
    ['', []],
  ])('of %j are %j', (raw, keys) => expect(surnameKeys(raw)).toEqual(keys));

  it('have at least two letters A-Z each, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        for (const key of surnameKeys(raw)) expect(key).toMatch(/^[A-Z]{2,}$/);
      }),
    );
  });

  it('contain only the surname if it is a key itself', () => {
    fc.assert(fc.property(fc.stringMatching(/^[A-Z]{2,20}$/), (key) => expect(surnameKeys(key)).toEqual([key])));
  });
});
