import fc from 'fast-check';
import { extrapolated } from './age-shares';

describe('extrapolated shares', () => {
  const share = fc.double({ min: 0.1, max: 1, noNaN: true });

  it('are the limit of iterations whose distance to it shrinks by a constant factor', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(share, share), { minLength: 2, maxLength: 9 }),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        (pairs, factor) => {
          const limit = Float64Array.from(pairs, ([one]) => one);
          const distance = Float64Array.from(pairs, ([one, other]) => (other - one) / 20);
          const after = (iterations: number) => limit.map((one, at) => one + distance[at] * factor ** iterations);
          fc.pre(distance.some((one) => Math.abs(one) > 1e-6));
          extrapolated(after(0), after(1), after(2)).forEach((one, at) => expect(one).toBeCloseTo(limit[at], 9));
        },
      ),
    );
  });

  it('are those of the second iteration if one would be negative, or if nothing changes', () => {
    const shares = (...all: number[]) => Float64Array.from(all);
    const [start, first, second] = [shares(0.9, 0.1), shares(0.945, 0.055), shares(0.986, 0.014)];
    expect(extrapolated(start, first, second)).toBe(second); // 0.1 - 2 * 11.25 * 0.045 + 11.25 ** 2 * 0.004 < 0
    expect(extrapolated(start, start, start)).toBe(start);
  });
});
