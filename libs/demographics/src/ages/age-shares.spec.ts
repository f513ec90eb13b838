import fc from 'fast-check';
import { extrapolate, normalize, sumOf } from './age-shares';

const shares = (...all: number[]): Float64Array => Float64Array.from(all);
const share = fc.double({ min: 0.1, max: 1, noNaN: true });

describe('extrapolated shares', () => {
  it('are the limit of iterations whose distance to it shrinks by a constant factor', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(share, share), { minLength: 2, maxLength: 9 }),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        (pairs, factor) => {
          const limit = normalize(Float64Array.from(pairs, ([one]) => one));
          const start = normalize(Float64Array.from(pairs, ([one, other]) => 20 * one + other));
          fc.pre(start.some((one, at) => Math.abs(one - limit[at]) > 1e-6));
          const after = (iterations: number) => limit.map((one, at) => one + (start[at] - one) * factor ** iterations);
          const found = extrapolate(start, after(1), after(2));
          found.forEach((one, at) => expect(one).toBeCloseTo(limit[at], 9));
          expect(sumOf(found)).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('are those of the second iteration if iterations overshoot, one would be negative, or nothing changes', () => {
    const overshot = extrapolate(shares(0.6, 0.4), shares(0.45, 0.55), shares(0.525, 0.475));
    overshot.forEach((one, at) => expect(one).toBeCloseTo([0.525, 0.475][at], 12));
    const second = shares(0.986, 0.014);
    const found = extrapolate(shares(0.9, 0.1), shares(0.945, 0.055), second);
    expect(found).toBe(second); // 0.1 - 2 * 11.25 * 0.045 + 11.25 ** 2 * 0.004 < 0
    expect(extrapolate(second, second, second)).toBe(second);
  });
});
