import fc from 'fast-check';
import { HASH_SEED, PackedKeyIndex, hashByte } from './key-index';

/** Looks up a key like a caller that folds and hashes in one pass. */
function findBytes(index: PackedKeyIndex, key: string): number {
  const bytes = Buffer.from(key, 'latin1');
  return index.findBytes(bytes, 0, bytes.length, bytes.reduce(hashByte, HASH_SEED));
}

describe('PackedKeyIndex', () => {
  const index = PackedKeyIndex.build(['mary', 'mar', 'joan', 'jo']);

  it('finds every key at its position and no other text', () => {
    expect(['mary', 'mar', 'joan', 'jo'].map((key) => index.find(key))).toEqual([0, 1, 2, 3]);
    for (const key of ['', 'm', 'maryx', 'MARY', 'jöan', 'constructor', '__proto__']) expect(index.find(key)).toBe(-1);
    expect([0, 1, 2, 3].map((i) => index.keyAt(i))).toEqual(['mary', 'mar', 'joan', 'jo']);
  });

  it('works the same if it is loaded from its parts', () => {
    const loaded = new PackedKeyIndex(index.parts);
    expect(loaded.size).toBe(4);
    expect(loaded.find('joan')).toBe(2);
  });

  it('keeps the stored slot format of data releases', () => {
    const slots = [0, 2_095_054_852, 1_205_862_401, 0, 0, 0, 1_354_760_194, 3_197_108_227];
    expect([...index.parts.slots]).toEqual(slots);
  });

  it('does not match a different key with the same hash slots', () => {
    const { slots } = PackedKeyIndex.build(['mary']).parts;
    for (const other of ['m', 'mar', 'marx', 'xary', 'maryx']) {
      const parts = { slots, blob: Buffer.from(other), offsets: Uint32Array.of(0, other.length) };
      const mistaken = new PackedKeyIndex(parts);
      expect([mistaken.find('mary'), findBytes(mistaken, 'mary')]).toEqual([-1, -1]);
    }
  });

  it('finds all of 20,000 keys, and none of 20,000 others', () => {
    const word = (n: number) =>
      [...n.toString(26)].map((digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');
    const words = Array.from({ length: 40_000 }, (_, n) => word(n));
    const known = PackedKeyIndex.build(words.filter((_, n) => n % 2 === 1));
    const expected = words.map((_, n) => (n % 2 === 1 ? n >> 1 : -1));
    expect(words.map((one) => known.find(one))).toEqual(expected);
    expect(words.map((one) => findBytes(known, one))).toEqual(expected);
  });

  it('rejects keys that are repeated, empty or not ASCII', () => {
    expect(() => PackedKeyIndex.build(['ann', 'bo', 'ann'])).toThrow(new RangeError('key 2 is empty or repeated: ann'));
    expect(() => PackedKeyIndex.build([''])).toThrow(new RangeError('key 0 is empty or repeated: '));
    expect(() => PackedKeyIndex.build(['ann', 'zoë'])).toThrow(new RangeError('key 1 is not ASCII: zoë'));
    expect(PackedKeyIndex.build(['\x7f']).find('\x7f')).toBe(0);
  });

  it('rejects more keys than a slot can number', () => {
    const keys = new Array<string>(1_048_575);
    expect(() => PackedKeyIndex.build(keys)).toThrow(new RangeError('a key index holds at most 1048574 keys'));
  });

  it.each([
    ['a number that is no power of two', 4, 6],
    ['none for the end of a probe', 4, 4],
    ['fewer than keys', 4, 2],
  ])('rejects an invalid number of slots: %s', (_what, size, slots) => {
    const parts = { ...index.parts, slots: new Uint32Array(slots) };
    expect(() => new PackedKeyIndex(parts)).toThrow(
      new RangeError(`a key index of ${size} keys cannot have ${slots} slots`),
    );
  });

  it('rejects an empty offsets array', () => {
    const parts = { ...index.parts, offsets: new Uint32Array(0) };
    expect(() => new PackedKeyIndex(parts)).toThrow(new RangeError('a key index of -1 keys cannot have 8 slots'));
  });

  it('contains no key if it is empty', () => {
    expect(PackedKeyIndex.build([]).find('mary')).toBe(-1);
  });

  it('finds the same positions as a linear search for any set of keys', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 300 }), fc.array(key), (keys, asked) => {
        const built = PackedKeyIndex.build(keys);
        for (const one of [...keys, ...asked]) expect(built.find(one)).toBe(keys.indexOf(one));
      }),
    );
  });
});
