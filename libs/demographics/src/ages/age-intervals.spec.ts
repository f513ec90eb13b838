import fc from 'fast-check';
import { NameProducts } from './age-intervals';

const agesOf = (size: number) =>
  fc
    .array(fc.integer({ min: 0, max: 1000 }), { minLength: size, maxLength: size })
    .filter((ages) => ages.some(Boolean));

describe('NameProducts', () => {
  test('sums over the people of all names, for an even and an odd number of ages and more than one block', () => {
    const groups = fc.tuple(fc.constantFrom(4, 5), fc.constantFrom(0, 1, 63, 64, 65, 130)).chain(([size, names]) =>
      fc.record({
        size: fc.constant(size),
        names: fc.array(fc.record({ ages: agesOf(size), people: fc.integer({ min: 1, max: 50 }) }), {
          minLength: names,
          maxLength: names,
        }),
      }),
    );
    fc.assert(
      fc.property(groups, ({ size, names }) => {
        const sums = new NameProducts(size);
        const expected = Array.from({ length: size }, () => 0);
        const products = Array.from({ length: size * size }, () => 0);
        for (const { ages, people } of names) {
          const total = ages.reduce((sum, one) => sum + one);
          sums.add(Float64Array.from(ages), total, people);
          ages.forEach((age, a) => {
            expected[a] += (people * age) / total;
            ages.forEach((other, b) => (products[a * size + b] += (people * age * other) / total ** 2));
          });
        }
        const differences = [
          ...expected.map((people, at) => people - sums.expected[at]),
          ...[...sums.products()].map((product, at) => product - products[at]),
        ];
        expect(differences).toHaveLength(size + size * size);
        expect(Math.max(...differences.map(Math.abs))).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });
});
