import fc from 'fast-check';
import { expectedDonors } from './age-estimate';

describe('expected donors by age', () => {
  it('add up to all people, and each number differs from its share by at most a hundredth', () => {
    // thirds of 100 hundredths: the first of equal remainders gets the remaining hundredth
    expect(expectedDonors({ people: 1, shares: [1 / 3, 1 / 3, 0, 1 / 3] })).toEqual([
      [18, 34],
      [19, 33],
      [21, 33],
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 93 }),
        (people, weights) => {
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          const donors = expectedDonors({ people, shares: weights.map((weight) => weight / total) });
          expect(donors.reduce((sum, [, hundredths]) => sum + hundredths, 0)).toBe(100 * people);
          for (const [age, hundredths] of donors)
            expect(Math.abs(hundredths - (100 * people * weights[age - 18]) / total)).toBeLessThan(1.001);
        },
      ),
    );
  });
});
