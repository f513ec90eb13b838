import fc from 'fast-check';
import { AreaTable } from './area-table';

const county = fc.oneof(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 36_000, max: 36_005 }));
const tract = fc
  .tuple(county, fc.oneof(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 3 })))
  .map(([fips, number]) => 1_000_000 * fips + number);

describe('an area table', () => {
  it.each([
    ['five digits', county],
    ['eleven digits', tract],
  ])('finds codes of %s at the position that a linear search finds', (_, code) => {
    fc.assert(
      fc.property(fc.uniqueArray(code), fc.array(code), (some, others) => {
        const codes = Float64Array.from(some).sort();
        const table = new AreaTable(codes, new Uint32Array(codes.length));
        for (const one of [...some, ...others, NaN, 99_999_999_999])
          expect(table.indexOf(one)).toBe(codes.indexOf(one));
      }),
      { numRuns: 30 },
    );
  });
});
