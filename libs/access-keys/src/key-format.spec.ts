import fc from 'fast-check';
import { base62, hashOf, newKey, prefixOf } from './key-format';

describe('the form of a key', () => {
  it('is dl_, 8 characters of id, 43 of secret and 6 of checksum', () => {
    const { key, prefix, hash } = newKey();
    expect(key).toMatch(/^dl_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(key.startsWith(`${prefix}_`)).toBe(true);
    expect(prefixOf(key)).toBe(prefix);
    expect(hash).toEqual(hashOf(key));
  });

  it('holds 256 bits: the largest secret fits into 43 digits of base 62', () => {
    expect(base62(2n ** 256n - 1n, 43)).toHaveLength(43);
    expect(62n ** 43n).toBeGreaterThan(2n ** 256n);
    expect(base62(0n, 3)).toBe('000');
    expect(base62(61n, 3)).toBe('00z');
    expect(base62(62n, 3)).toBe('010');
  });

  it('detects one changed character without a database', () => {
    const { key } = newKey();
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(fc.integer({ min: 3, max: key.length - 1 }), fc.constantFrom(...digits), (at, digit) => {
        fc.pre(key[at] !== '_' && key[at] !== digit);
        expect(prefixOf(key.slice(0, at) + digit + key.slice(at + 1))).toBeNull();
      }),
    );
  });

  it('takes no other text for a key', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => prefixOf(text) === null));
  });

  it('never gives the same key twice', () => {
    expect(new Set(Array.from({ length: 500 }, () => newKey().key)).size).toBe(500);
  });
});
