import fc from 'fast-check';
import { donorKeys } from './donor-key';

const MOST = 2n ** 63n - 1n;

describe('donor keys', () => {
  it('are equal if surname, first given name and the first five digits of the ZIP are equal', () => {
    const key = donorKeys('OBRIEN', 'MARY', '94110').v1;
    expect(donorKeys("O'Brien", 'Mary', '941101234').v1).toBe(key);
    expect(donorKeys('OBRIEN', 'MARY', '94110-1234').v1).toBe(key);
    expect(donorKeys('OBRIEN', 'MARK', '94110').v1).not.toBe(key);
    expect(donorKeys('OBRIEN', 'MARY', '94111').v1).not.toBe(key);
    expect(donorKeys('OBRIEN', 'MARY', '9411').v1).not.toBe(key);
    expect(donorKeys('BRIEN', 'MARY', '94110').v1).not.toBe(key);
  });

  it('depend only on letters A to Z and digits, not on the characters next to them in ASCII', () => {
    const key = donorKeys('AZ', 'AZ', '09');
    for (const beside of ['@', '[', '`', '{', '/', ':', 'é', ' '])
      expect(donorKeys(`A${beside}Z`, `A${beside}Z`, `0${beside}9`)).toEqual(key);
    for (const other of [donorKeys('AY', 'AZ', '09'), donorKeys('AZ', 'BZ', '09'), donorKeys('AZ', 'AZ', '08')])
      expect([other.v1 === key.v1, other.v2 === key.v2]).toEqual([false, false]);
  });

  it('depend in v2 only on the first initial of the given name', () => {
    const key = donorKeys('OBRIEN', 'MARY', '94110').v2;
    expect(donorKeys('OBRIEN', 'M.', '94110').v2).toBe(key);
    expect(donorKeys('OBRIEN', 'JANE', '94110').v2).not.toBe(key);
    expect(donorKeys('OBRIEN', '', '94110').v2).not.toBe(key);
  });

  it('are 0 if the surname has no letter', () => {
    expect(donorKeys('', 'MARY', '94110')).toEqual({ v1: '0', v2: '0' });
    expect(donorKeys('...', 'MARY', '94110')).toEqual({ v1: '0', v2: '0' });
  });

  it('differ if a letter moves from the surname to the given name', () => {
    expect(donorKeys('AB', 'C', '1').v1).not.toBe(donorKeys('A', 'BC', '1').v1);
  });

  it('do not change between releases, because stored rows use them', () => {
    expect(donorKeys('SMITH', 'JOHN', '10001')).toEqual(STORED);
  });

  it('are signed 64-bit numbers as decimal text, never 0 for a donor, and do not depend on case or punctuation', () => {
    const letters = fc.stringMatching(/^[A-Z]{1,12}$/);
    const zip = fc.stringMatching(/^\d{0,9}$/);
    fc.assert(
      fc.property(letters, letters, zip, (surname, given, code) => {
        const keys = donorKeys(surname, given, code);
        for (const key of [keys.v1, keys.v2]) {
          expect(key).toMatch(/^-?[1-9]\d*$/);
          expect(BigInt(key) <= MOST && BigInt(key) >= -MOST - 1n).toBe(true);
        }
        const other = donorKeys(surname.toLowerCase(), ` ${given}.`, code.slice(0, 5));
        expect(other).toEqual(keys);
      }),
    );
  });

  it('differ for a million different donors, and each 32-bit half is evenly distributed', () => {
    const keys = new BigInt64Array(1_000_000);
    for (let i = 0; i < keys.length; i++) {
      const zip = String(10_000 + (i % 7));
      keys[i] = BigInt(donorKeys(`SURNAME${lettersOf(i % 1000)}`, lettersOf(Math.floor(i / 1000)), zip).v1);
    }
    const halves = new Int32Array(keys.slice().buffer);
    expect(meetings(keys)).toBe(0);
    // about 116 collisions are expected for 32 random bits
    for (const half of [0, 1]) expect(meetings(halves.filter((_, i) => i % 2 === half))).toBeLessThan(200);
  });
});

/** Counts collisions: numbers that are equal to an earlier one. */
function meetings(numbers: Int32Array | BigInt64Array): number {
  let count = 0;
  numbers.sort();
  for (let i = 1; i < numbers.length; i++) if (numbers[i] === numbers[i - 1]) count++;
  return count;
}

const lettersOf = (number: number): string =>
  String.fromCharCode(65 + (number % 26), 65 + (Math.floor(number / 26) % 26), 65 + Math.floor(number / 676));

const STORED = { v1: '-2122808850221000498', v2: '2950375437695127261' };
