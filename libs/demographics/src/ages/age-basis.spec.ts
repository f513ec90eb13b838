import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { birthTable, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { AGE_BASES, GroupedAges, basisOf, minAgeForBasis, yearGroup } from './age-basis';
import { AgeEstimator } from './age-estimator';
import { GroupAgeEstimator } from './group-ages';

describe('the basis of an age', () => {
  it('accepts a minimum age only if both are consistent', () => {
    expect([minAgeForBasis('name', 0), minAgeForBasis('name', 40), minAgeForBasis('name', undefined)]).toEqual([
      0,
      40,
      undefined,
    ]);
    expect([minAgeForBasis('adult', undefined), minAgeForBasis('adult', 18)]).toEqual([18, 18]);
    expect([minAgeForBasis('donors', 18), minAgeForBasis('group', undefined)]).toEqual([undefined, undefined]);
    expect(() => minAgeForBasis('adult', 40)).toThrow('is 18 with age_basis=adult');
    for (const basis of ['donors', 'group'] as const)
      expect(() => minAgeForBasis(basis, 0)).toThrow(`does not apply with age_basis=${basis}: it counts adults`);
    expect([null, 18, 40].map(basisOf)).toEqual(['name', 'adult', 'name']);
    expect(AGE_BASES).toEqual(['name', 'adult', 'donors', 'group']);
  });
});

describe('ages from the group with the closest year', () => {
  const all = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [1900 + at, 100]));
  const births = birthTable({ pat: { f: all, m: all } });
  const estimator = new GroupAgeEstimator(births, new AgeEstimator(births, mortal).survival);
  /** All people of the group have the same age, which identifies the group. */
  const group = (year: number, age: number) => ({
    ...{ year, maleShare: 0.5 },
    shares: Array.from({ length: 93 }, (_, at) => (at === age - 18 ? 1 : 0)),
  });
  const ages = new GroupedAges(estimator, [group(2012, 30), group(2016, 40), group(2018, 50)]);
  const at = (year: number) => ages.ageAt(0, civilDay(year, 7, 1));

  it('use the cycle of the date, else the closest one, in a tie the later one', () => {
    expect([2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018].map(at)).toEqual([30, 30, 30, 40, 40, 40, 50, 50]);
    expect([at(2000), at(2030)]).toEqual([30, 50]);
    expect(ages.ageAt(-1, civilDay(2016, 7, 1))).toBeNull();
  });

  it('use the later year also if it is listed first', () => {
    const reversed = new GroupedAges(estimator, [group(2018, 50), group(2016, 40), group(2012, 30)]);
    expect([2014, 2017, 2011].map((year) => reversed.ageAt(0, civilDay(year, 7, 1)))).toEqual([40, 50, 30]);
  });

  it('are computed once as long as the median stays the same, also if two dates alternate', () => {
    const names = birthTable({ kim: { f: { 1950: 100 } }, pat: { f: all, m: all } });
    const counting = new GroupAgeEstimator(names, new AgeEstimator(names, mortal).survival);
    const median = jest.spyOn(counting, 'median');
    const even = { year: 2017, maleShare: 0.5, shares: Array.from({ length: 93 }, () => 1 / 93) };
    const cached = new GroupedAges(counting, [even]);
    const days = Array.from({ length: 365 }, (_, day) => civilDay(2017, 1, 1) + day);
    const answers = days.map((on) => cached.ageAt(0, on));
    expect([...new Set(answers)]).toEqual([66, 67]);
    expect(median).toHaveBeenCalledTimes(2);
    for (const on of days)
      expect([cached.ageAt(0, on), cached.ageAt(0, days[0])]).toEqual([answers[on - days[0]], answers[0]]);
    expect(median).toHaveBeenCalledTimes(2);
  });

  it('equal the medians of `quartiles`, independent of earlier queries', () => {
    const names = birthTable({
      ava: { f: { ...all, 1960: 5000 } },
      bo: { m: { 1940: 70, 1965: 90, 1990: 80 } },
      cal: { f: all, m: { 1951: 300 } },
    });
    const medians = new GroupedAges(new GroupAgeEstimator(names, new AgeEstimator(names, mortal).survival), [
      { year: 2012, maleShare: 0.5, shares: Array.from({ length: 93 }, (_, age) => 1 + (age % 9)) },
    ]);
    const day = fc.integer({ min: civilDay(2010, 1, 1), max: civilDay(2013, 12, 31) });
    fc.assert(
      fc.property(fc.nat(2), day, (name, on) => {
        expect(medians.ageAt(name, on)).toBe(medians.quartiles(name, on).median);
      }),
      { numRuns: 1000 },
    );
  });
});

it('yearGroup keeps the year, the shares and the share of men', () => {
  const shares = Float64Array.of(0.25, 0.75);
  expect(yearGroup(2016, { shares, maleShare: 0.4, people: 9, effectivePeople: 8 })).toEqual({
    ...{ year: 2016, shares: [0.25, 0.75], maleShare: 0.4 },
  });
});
