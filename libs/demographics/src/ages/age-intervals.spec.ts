import fc from 'fast-check';
import { NameProducts } from './age-intervals';

const arrayOf = <T>(one: fc.Arbitrary<T>, length: number) => fc.array(one, { minLength: length, maxLength: length });

const nameOf = (size: number) =>
  fc.record({
    ages: arrayOf(fc.integer({ min: 0, max: 1000 }), size).filter((ages) => ages.some(Boolean)),
    people: fc.integer({ min: 1, max: 50 }),
  });

describe('NameProducts', () => {
  test.each([0, 1, 63, 64, 65, 130].flatMap((names) => [4, 5].map((size) => [names, size])))(
    '%i names by %i ages give the sums over people, also while names are added',
    (count, size) => {
      fc.assert(
        fc.property(arrayOf(nameOf(size), count), (names) => {
          const sums = new NameProducts(size);
          const expected = Array.from({ length: size }, () => 0);
          const products = Array.from({ length: size * size }, () => 0);
          names.forEach(({ ages, people }, i) => {
            const total = ages.reduce((sum, one) => sum + one);
            sums.add(Float64Array.from(ages), total, people);
            if (i === 40) sums.computeProducts();
            ages.forEach((age, a) => {
              expected[a] += (people * age) / total;
              ages.forEach((other, b) => (products[a * size + b] += (people * age * other) / total ** 2));
            });
          });
          const differences = [
            ...expected.map((people, at) => people - sums.expected[at]),
            ...[...sums.computeProducts()].map((product, at) => product - products[at]),
          ];
          expect(differences).toHaveLength(size + size * size);
          expect(Math.max(...differences.map(Math.abs))).toBeLessThan(1e-9);
        }),
        { numRuns: 10 },
      );
    },
  );
});
