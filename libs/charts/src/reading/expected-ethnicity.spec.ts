import fc from 'fast-check';
import { EthnicitySums } from './expected-ethnicity';

const DONOR = [2016, 'P00000001'] as const;

describe('expected donors by ethnicity', () => {
  it('are sums of probabilities by candidate and cycle, with a separate row for unknown surnames', () => {
    const sums = new EthnicitySums();
    sums.add(...DONOR, [7_000, 3_000, 0, 0, 0, 0]);
    sums.add(...DONOR, [0, 1, 0, 0, 0, 1]); // shares in another unit
    sums.add(...DONOR, null);
    sums.add(2018, 'P00000001', [0, 0, 0, 0, 0, 0]);
    expect(sums.rows().map(({ cycle, value, donors }) => [cycle, value, donors])).toEqual([
      [2016, 'black', 0.8],
      [2016, 'hispanic', 0.5],
      [2016, 'white', 0.7],
      [2016, null, 1],
      [2018, null, 1],
    ]);
  });

  it('add up to all donors', () => {
    const shares = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.option(shares), { minLength: 1 }), (donors) => {
        const sums = new EthnicitySums();
        for (const one of donors) sums.add(...DONOR, one);
        const hundredths = sums.rows().map((row) => Math.round(100 * row.donors));
        expect(hundredths.reduce((sum, n) => sum + n, 0)).toBe(100 * donors.length);
      }),
    );
  });
});
