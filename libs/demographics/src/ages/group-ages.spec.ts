import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { birthTable, mortal } from '../../../../test/support/synthetic-tables';
import { ADULT_AGE } from './adult-ages';
import { AgeEstimator } from './age-estimator';
import { type GroupAges, GroupAgeEstimator, groupQuantile } from './group-ages';

/** Names of a time: most of their births are in ten years, and some in all others. */
const ofDecade = (decade: number): Record<number, number> =>
  Object.fromEntries(
    Array.from({ length: 144 }, (_, at) => 1880 + at).map((year) => [
      year,
      year - (year % 10) === decade ? 900 : 20 + (year % 7),
    ]),
  );
const NAMES = ['ava', 'bea', 'cal', 'dan', 'eve', 'fay', 'gus'];
const births = birthTable(
  Object.fromEntries(NAMES.map((name, at) => [name, { [at % 2 === 0 ? 'f' : 'm']: ofDecade(1930 + 10 * at) }])),
);
const ages = new AgeEstimator(births, mortal);
const groups = new GroupAgeEstimator(births, ages.survival);
const ON = civilDay(2020, 12, 31);
const adults = groups.adults(ON);
const nameOf = (name: string): number => ages.nameIndex(name);
const sumOf = (shares: Float64Array): number => shares.reduce((sum, share) => sum + share, 0);
const peopleOf = (counts: readonly number[], on = ON) =>
  counts.map((people, at) => ({ name: nameOf(NAMES[at]), on, people }));

/** All people of one age, or of several in equal parts. */
const ofAges = (...all: number[]): GroupAges => {
  const shares = new Float64Array(adults.shares.length);
  for (const age of all) shares[age - ADULT_AGE] += 1 / all.length;
  return { shares, maleShare: 0, people: 1, effectivePeople: 1 };
};

const counts = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: NAMES.length, maxLength: NAMES.length });

describe('the age of a person of a group', () => {
  it('is the median of the group’s ages, each weighted by the share of its births that have the name', () => {
    const table = birthTable({ twin: { f: { 1951: 40, 1991: 600 } }, rest: { f: { 1951: 60, 1991: 400 } } });
    const few = new GroupAgeEstimator(table, new AgeEstimator(table, mortal).survival);
    const [old, young] = [2020 - 1951, 2020 - 1991];
    const quartiles = (group: GroupAges) => few.quartiles(table.names.find('twin'), ON, group);
    // 0.4 of those born in 1951 and 0.6 of those born in 1991 have the name: 2 to 3
    expect(quartiles(ofAges(old, young))).toEqual({ median: young, q25: young, q75: old });
    // three times as many of the old: 6 to 3
    expect(quartiles(ofAges(old, old, old, young))).toEqual({ median: old, q25: young, q75: old });
  });

  it('is unknown where the name is, or where the group has no one of its ages', () => {
    const unknown = { median: null, q25: null, q75: null };
    expect(groups.quartiles(-1, ON, adults)).toEqual(unknown);
    expect(groups.quartiles(nameOf('ava'), civilDay(1890, 1, 1), ofAges(40))).toEqual(unknown);
  });
});

describe('the ages of a group', () => {
  it('are those of its parent without a known name', () => {
    expect(groups.estimate([], adults)).toEqual({ ...adults, people: 0, effectivePeople: 0 });
    expect(groups.estimate([{ name: -1, on: ON, people: 9 }], ofAges(50)).shares).toEqual(ofAges(50).shares);
  });

  it('add up to 1, whatever the names, and do not depend on the order of rows', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: civilDay(1970, 1, 1), max: civilDay(2026, 1, 1) }), (people, on) => {
        const group = groups.estimate(peopleOf(people, on), groups.adults(on));
        expect(sumOf(group.shares)).toBeCloseTo(1, 9);
        expect(group.shares.every((share) => share >= 0)).toBe(true);
        expect(group.people).toBe(people.reduce((sum, n) => sum + n, 0));
        expect(group.effectivePeople).toBeGreaterThanOrEqual(0);
        expect(group.effectivePeople).toBeLessThanOrEqual(group.people);
        expect(group.maleShare).toBeGreaterThanOrEqual(0);
        expect(group.maleShare).toBeLessThanOrEqual(1 + 1e-12);
        const rows = peopleOf(people, on).flatMap((one) =>
          Array.from({ length: one.people }, () => ({ ...one, people: 1 })),
        );
        const again = groups.estimate(rows.reverse(), groups.adults(on));
        group.shares.forEach((share, at) => expect(again.shares[at]).toBeCloseTo(share, 9));
      }),
      { numRuns: 10 },
    );
  });

  it('follow the names, the more of them the further from the parent', () => {
    const medianOf = (people: number) => groupQuantile(groups.estimate(peopleOf([people]), adults).shares, 0.5);
    const [prior, few, some, many] = [groupQuantile(adults.shares, 0.5), medianOf(5), medianOf(40), medianOf(4000)];
    expect(prior).toBeLessThan(few);
    expect(few).toBeLessThan(some);
    expect(some).toBeLessThan(many);
    expect(Math.abs(many - 86)).toBeLessThanOrEqual(2); // most born 1930 to 1939
  });

  it('take each person’s age on the person’s own date', () => {
    const earlier = civilDay(2010, 12, 31);
    const group = groups.estimate([...peopleOf([0, 0, 300]), ...peopleOf([0, 300], earlier)], adults);
    const median = groupQuantile(group.shares, 0.5);
    expect(Math.abs(median - 65.5)).toBeLessThanOrEqual(2); // most born 1950 to 1959, or ten years earlier ten years before
  });

  it('vary between resamples as much as few people do, and equal numbers give equal ones', () => {
    const generator = () => {
      let state = 7;
      return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    };
    const of = (scale: number) => groups.intervals(peopleOf([3 * scale, 0, scale, 0, 2 * scale]), adults, generator());
    const [few, many] = [of(5), of(300)];
    expect(of(5)).toEqual(few);
    for (const { median, bands } of [few, many]) {
      expect(bands.map(({ from, to }) => to - from + 1)).toEqual([12, 10, 10, 10, 10, 10, 31]);
      expect(bands.reduce((sum, { share }) => sum + share.value, 0)).toBeCloseTo(1, 9);
      expect(bands.every(({ share: { low, high } }) => low >= 0 && low <= high && high <= 1)).toBe(true);
      expect(median.low).toBeLessThanOrEqual(median.value);
      expect(median.high).toBeGreaterThanOrEqual(median.value);
    }
    expect(many.median.high - many.median.low).toBeLessThan(few.median.high - few.median.low);
  });
});
