import { dollars } from './dollars';

describe('dollars', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [-5, '-0.05'],
    [2_550, '25.50'],
    [-2_550, '-25.50'],
    [9_007_199_254_740_991, '90071992547409.91'],
  ])('writes %d cents as %s', (cents, text) => {
    expect(dollars(cents)).toBe(text);
  });
});
