import fc from 'fast-check';
import { AgeEstimator, GroupAgeEstimator, GroupedAges } from '@donorlens/demographics';
import { civilDay } from '@donorlens/primitives';
import { birthTable, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { batchAgeGroups } from './batch-ages';

const bell = (middle: number) =>
  Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [1900 + at, Math.round(1000 / (1 + (1900 + at - middle) ** 2 / 50))]),
  );
const births = birthTable({
  ada: { f: bell(1930) },
  bea: { f: bell(1955) },
  cal: { m: bell(1980) },
  dan: { m: { 1965: 50 } },
});
const ages = new AgeEstimator(births, mortal);
const groupAges = new GroupAgeEstimator(births, ages.survival);
const [ADA, BEA, CAL, DAN] = ['ada', 'bea', 'cal', 'dan'].map((name) => ages.nameIndex(name));
const june = (year: number) => civilDay(year, 6, 1);

describe('the ages of a batch by its own rows', () => {
  it('come from one distribution for up to four years, else from one for each year', () => {
    const four = batchAgeGroups(
      [2016, 2017, 2018, 2019].map((year) => [BEA, june(year), 50] as const),
      groupAges,
    );
    expect(four.map(({ year }) => year)).toEqual([2016]);
    const five = batchAgeGroups(
      [2012, 2016].map((year) => [BEA, june(year), 50] as const),
      groupAges,
    );
    expect(five.map(({ year }) => year)).toEqual([2012, 2016]);
    expect(batchAgeGroups([], groupAges)).toEqual([]);
    expect(batchAgeGroups([[DAN, june(1970), 9]], groupAges)).toEqual([]); // no adult has the name
  });

  it('make a name older among older rows', () => {
    const at = (company: number) =>
      new GroupedAges(
        groupAges,
        batchAgeGroups(
          [
            [BEA, june(2016), 20],
            [company, june(2016), 400],
          ],
          groupAges,
        ),
      ).ageAt(BEA, june(2016))!;
    expect(at(ADA)).toBeGreaterThan(at(CAL));
  });

  it('do not depend on the order of rows', () => {
    const row = fc.tuple(fc.constantFrom(ADA, BEA, CAL), fc.constantFrom(2010, 2014, 2016).map(june), fc.nat(30));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const [one, other] = [rows, [...rows].reverse()].map((all) => batchAgeGroups(all, groupAges));
        expect(other.map(({ year }) => year)).toEqual(one.map(({ year }) => year));
        one.forEach(({ shares }, at) =>
          shares.forEach((share, age) => expect(other[at].shares[age]).toBeCloseTo(share, 9)),
        );
      }),
      { numRuns: 20 },
    );
  });
});
