import fc from 'fast-check';
import { PackedKeyIndex } from './key-index';

describe('PackedKeyIndex', () => {
  const index = PackedKeyIndex.build(['mary', 'mar', 'joan', 'jo']);

  it('finds every key at its position and nothing else', () => {
    expect(['mary', 'mar', 'joan', 'jo'].map((key) => index.find(key))).toEqual([0, 1, 2, 3]);
    for (const key of ['', 'm', 'maryx', 'MARY', 'jöan', 'constructor', '__proto__']) expect(index.find(key)).toBe(-1);
    expect([0, 1, 2, 3].map((i) => index.keyAt(i))).toEqual(['mary', 'mar', 'joan', 'jo']);
  });

  it('is the same when loaded from its parts', () => {
    const loaded = new PackedKeyIndex(index.parts);
    expect(loaded.size).toBe(4);
    expect(loaded.find('joan')).toBe(2);
  });

  it('refuses keys that are repeated, empty or not ASCII, and slots that do not fit', () => {
    expect(() => PackedKeyIndex.build(['ann', 'ann'])).toThrow(RangeError);
    expect(() => PackedKeyIndex.build([''])).toThrow(RangeError);
    expect(() => PackedKeyIndex.build(['zoë'])).toThrow(RangeError);
    expect(() => new PackedKeyIndex({ ...index.parts, slots: new Uint32Array(3) })).toThrow(RangeError);
  });

  it('holds no key at all when empty', () => {
    expect(PackedKeyIndex.build([]).find('mary')).toBe(-1);
  });

  it('answers like a Map for any set of keys', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 300 }), fc.array(key), (keys, asked) => {
        const built = PackedKeyIndex.build(keys);
        for (const one of [...keys, ...asked]) expect(built.find(one)).toBe(keys.indexOf(one));
      }),
    );
  });
});
